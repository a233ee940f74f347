# The recipes of docs/SCALE.md.  Its two hosts are two sshd on the loopback
# interface, with keys and folders of their own.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$PWD	# parallel's notes, and nobody's ssh settings
}

# needs COMMAND...: or skip.
needs() {
	local command
	for command; do
		command -v "$command" > /dev/null || skip "no $command here"
	done
}

teardown() {
	local pid
	for pid in ${hosts-}; do
		if kill "$pid"; then
			wait "$pid" || true
		fi
	done
}

# two_hosts: host1 and host2 for ssh, or skip.
two_hosts() {
	local sshd name address port said
	needs parallel rsync ssh
	sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || skip "no sshd here"
	# Where a sshd of root's locks itself up; its start script makes it too.
	# It stays, since others may need it by now.
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd ||
		skip "no /run/sshd, which sshd needs"
	mkdir bin
	ssh-keygen -q -t ed25519 -N '' -f key
	ssh-keygen -q -t ed25519 -N '' -f host_key
	for name in host1 host2; do
		address=127.0.0.${name#host}
		port=$(python3 -c 'import socket, sys
s = socket.socket()
s.bind((sys.argv[1], 0))
print(s.getsockname()[1])' "$address") || skip "no address $address here"
		mkdir $name
		cat >> ssh_config <<-END
			Host $name
			HostName $address
			Port $port
		END
		# HOME: otherwise bash reads .bashrc there.
		# shellcheck disable=SC2016	# sshd sets the variable
		"$sshd" -D -e -f /dev/null -h "$PWD/host_key" \
			-o ListenAddress="$address:$port" -o PidFile=none \
			-o UsePAM=no -o StrictModes=no -o PermitRootLogin=yes \
			-o AuthorizedKeysFile="$PWD/key.pub" \
			-o SetEnv="HOME=\"$PWD/$name\" PATH=\"$PATH\"" \
			-o ForceCommand='cd && exec sh -c "$SSH_ORIGINAL_COMMAND"' \
			> $name.log 2>&1 3>&- &
		hosts+=" $!"
		soon has_started $name $!
	done
	cat >> ssh_config <<-END
		Host *
		IdentityFile $PWD/key
		IdentitiesOnly yes
		UserKnownHostsFile $PWD/known_hosts
		StrictHostKeyChecking accept-new
		BatchMode yes
		LogLevel ERROR
	END
	# For all that call ssh.
	printf '#!/bin/sh\nexec %s -F "%s" "$@"\n' "$(command -v ssh)" \
		"$PWD/ssh_config" > bin/ssh
	chmod +x bin/ssh
	PATH=$PWD/bin:$PATH
	for name in host1 host2; do
		said=$(ssh $name echo yes 2>&1 < /dev/null) || true
		[ "$said" = yes ] ||
			skip "no ssh to $name: $said $(tail -n 1 $name.log)"
	done
}

# has_started NAME PID: its sshd listens, or has ended.
has_started() {
	grep -q '^Server listening' "$1.log" || ! kill -0 "$2" 2> /dev/null
}

# bats test_tags=slow
@test "shards of one machine, united, are the bytes of one filter" {
	needs parallel
	transcript docs/SCALE.md "One machine"
}

# bats test_tags=slow
@test "shards of two hosts, united, are the bytes of one machine's filter" {
	two_hosts
	transcript docs/SCALE.md "Several machines, by ssh"
	[ -e ../host1/mine.bf ]
	[ -e ../host2/mine.bf ]
}

# bats test_tags=slow
@test "parts by hash on two hosts know all keys" {
	two_hosts
	transcript docs/SCALE.md "Parts by hash, by ssh"
	# both have got about half, and no key is with both
	one=$(field ../host1/mine.bf keys_added)
	two=$(field ../host2/mine.bf keys_added)
	((one > 149000 && two > 149000 && one + two > 299000))
	((one + two <= 300000))
}

@test "partition fails when one of its commands does" {
	perl -MDigest::MD5 -e 1 || skip "no perl with Digest::MD5 here"
	scripts docs/SCALE.md
	seq 10 > keys
	run -0 ./partition 'cat > a' 'cat > b' < keys
	sort -n a b | cmp - keys
	run ! ./partition 'cat > a' 'cat > b; exit 3' < keys
	is "$output" 'failed: cat > b; exit 3'
}

@test "the scripts for Slurm, Hadoop and Spark work without these" {
	scripts docs/SCALE.md
	mkdir bin keys parts
	cp "$(command -v bloomtool)" .
	seq 1 100 > keys/a.txt
	seq 101 200 > keys/b.txt
	ls "$PWD"/keys/*.txt > files
	bloomtool create -q -n 1000 -p 1e-9 empty.bf
	for SLURM_ARRAY_TASK_ID in 1 2; do
		SLURM_ARRAY_TASK_ID=$SLURM_ARRAY_TASK_ID ./shard.sbatch
	done
	is "$(echo parts/*)" "parts/1.bf parts/2.bf"
	bloomtool union -q -o crawl.bf parts/*.bf
	is "$(seq 300 | bloomtool check -c crawl.bf)" 200

	is "$(seq 199 202 | ./unseen.sh)" $'201\n202'
	is "$(seq 9 | ./unseen.sh; echo $?)" 0
	spark=$(blocks python docs/SCALE.md | sed -n 's/^unseen = "\(.*\)"$/\1/p')
	run -0 python3 -c 'import shlex, subprocess, sys
print(subprocess.run(shlex.split(sys.argv[1]), input=b"9\n201\n", env={},
	stdout=subprocess.PIPE).stdout)' "$spark"
	is "$output" "b'201\\n'"

	cat > bin/hdfs <<-'END'
		#!/bin/sh
		[ "$1 $2 $3" = "dfs -put -f" ] && cp "$4" "$5"
	END
	chmod +x bin/hdfs
	sed -i 's/16e9/1000/' part.sh
	printf '%s\t\n' a b | PATH=$PWD/bin:$PATH TO=parts \
		mapreduce_task_partition=7 ./part.sh
	is "$(printf '%s\n' a b c | bloomtool check parts/part-00007.bf)" $'a\nb'
}

@test "the sizes in docs/SCALE.md are what estimate says" {
	while IFS='|' read -r _ _ keys hundred thousand _; do
		for size in "0.01 $hundred" "1e-4 $thousand"; do
			read -r rate wanted <<< "$size"
			is "$(bloomtool estimate -n "${keys// /}" -p "$rate" |
				awk '/^size/ { print $2, $3 }')" "$wanted"
		done
		rows+=.
	done < <(grep -E '^\| .* (shards|parts) \|.*iB' "$ROOT/docs/SCALE.md")
	is "$rows" ...
}

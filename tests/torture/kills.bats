# add, add -v, create and recover, killed at any moment and at each system
# call, and asked to end.

load rig

setup_file() {
	make_shim
}

@test "500 kills of add lose no key that was acknowledged (case 26)" {
	need_wchan
	drive kill_add 500
}

@test "100 kills of add -v into a pipe lose no line, repeat at most a batch" {
	drive kill_unseen 100 pipe
}

@test "60 kills of add -v into a file lose no line, repeat at most a batch" {
	drive kill_unseen 60 file
}

@test "a kill at each system call leaves no rubbish, no half filter, no loss" {
	need_strace
	need_wchan
	drive kill_calls
}

@test "SIGINT, SIGTERM, SIGHUP end add with all synced, clean, by the signal" {
	need_wchan
	drive ending random_times
	drive ending in_a_shell
}

@test "a signal ends add -v before a full pipe, and no line is lost" {
	need_wchan
	drive ending full_pipe
}

@test "a signal ends the wait for a lock" {
	need_wchan
	drive ending waiting_for_a_lock
}

@test "a second signal ends add at once" {
	need_wchan
	need_shim
	drive ending twice
}

@test "a second signal of another kind ends add at once" {
	need_wchan
	need_shim
	drive ending twice_mixed
}

@test "a recover that was asked to end leaves the mark" {
	need_wchan
	drive ending recover
}

@test "under nohup a SIGHUP changes nothing" {
	need nohup
	drive ending ignored
}

# fish completion for bloomtool
# Made by tools/completions: change that, not this.

# Is this the command?  Nothing: is there none yet?
function __bloomtool_is
    set -l words (commandline -opc)
    test "$words[2]" = "$argv"
end

# Is the next operand of this kind?
function __bloomtool_next -a kind
    set -l words (commandline -opc)
    set -l options h/help
    set -l operands
    set -l more
    set -l instead
    switch "$words[2]"
        case '' help
            set operands COMMAND
        case create
            set options n/keys= p/rate= s/size= P/prefer= g/grow F/full= R/scheme= K/key= S/seed= L/like= N/note= f/force q/quiet progress no-progress h/help
            set operands FILTER
        case add
            set options v/unseen c/count q/quiet z/null-data k/field= t/delimiter= b/bytes= i/ignore-case r/strip-cr C/create n/keys= p/rate= s/size= P/prefer= g/grow F/full= R/scheme= K/key= S/seed= L/like= N/note= y/no-sync w/wait= W/network j/threads= progress no-progress h/help
            set operands FILTER
            set more FILE
        case check
            set options v/unseen c/count q/quiet H/with-filename x/except= z/null-data j/threads= progress no-progress k/field= t/delimiter= b/bytes= i/ignore-case r/strip-cr K/key= f/filter= F/filters-from= a/all w/which h/help
            set operands FILTER
            set more FILE
            set instead f F
        case stats
            set options c/check J/json l/layers V/verify progress no-progress h/help
            set more FILTER
        case estimate
            set options n/keys= p/rate= s/size= P/prefer= c/curve g/plot J/json h/help
        case union
            set options o/output= f/force q/quiet w/wait= progress no-progress h/help
            set more FILTER
        case intersect
            set options o/output= f/force q/quiet w/wait= progress no-progress h/help
            set more FILTER
        case import
            set options F/from= K/key= V/verify= N/note= f/force q/quiet w/wait= progress no-progress n/name= m/bits= k/hashes= R/rule= h/help
            set operands FILE FILTER
        case export
            set options t/to= n/name= Z/gzip f/force progress no-progress h/help
            set operands FILTER FILE
        case recover
            set options a/accept q/quiet z/null-data w/wait= W/network progress no-progress k/field= t/delimiter= b/bytes= i/ignore-case r/strip-cr h/help
            set operands FILTER
            set more FILE
    end
    set -e words[1..2]
    argparse -i $options -- $words 2>/dev/null
    or return
    for form in $instead
        if set -q _flag_$form
            set -e operands[1]
            break
        end
    end
    set -l nth (math (count $argv) + 1)
    if set -q operands[$nth]
        test $operands[$nth] = $kind
    else
        test "$more" = $kind
    end
end

# All files, but those that are named so come first.  The word may begin with an
# option that has this letter, behind others.
function __bloomtool_filters -a letter
    set -l word (commandline -ct)
    if set -q letter[1]
        set word (string replace -r -- "^(--[a-z-]+=|-\w*?$letter)" '' "$word")
    end
    __fish_complete_suffix "$word" .bf
end

complete -c bloomtool -f
complete -c bloomtool -n '__bloomtool_next FILTER' -k -a '(__bloomtool_filters)'
complete -c bloomtool -n '__bloomtool_next FILE' -F
complete -c bloomtool -n '__bloomtool_next COMMAND' -a create -d 'make an empty filter'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a add -d 'remember lines; -v prints those that are new'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a check -d 'print lines that are in a filter; -v: that are not'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a stats -d 'how full a filter is, and how wrong'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a estimate -d 'what a filter would cost'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a union -d 'make one filter of the keys of several'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a intersect -d 'make one filter of the keys that are in all of several'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a import -d 'make a filter of one that another program wrote'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a export -d 'write a filter as another program loads it'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a recover -d 'make a filter whole again after a power cut'
complete -c bloomtool -n '__bloomtool_next COMMAND' -a help -d 'print this, or the options of a command'
complete -c bloomtool -n '__bloomtool_is' -s V -l version -d 'print the version and exit'
complete -c bloomtool -n '__bloomtool_is' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is create' -s n -l keys -x -d 'how many keys it shall hold (2e9, 10M)'
complete -c bloomtool -n '__bloomtool_is create' -s p -l rate -x -d 'how often it may be wrong (1e-4, 0.1%); default 0.01'
complete -c bloomtool -n '__bloomtool_is create' -s s -l size -x -d 'how large the file may be (500MB, 4GiB)'
complete -c bloomtool -n '__bloomtool_is create' -s P -l prefer -x -a 'speed space' -d 'speed (a block a key if that costs little) or space'
complete -c bloomtool -n '__bloomtool_is create' -s g -l grow -d 'add layers when it is full; default without -n, -s'
complete -c bloomtool -n '__bloomtool_is create' -s F -l full -x -a 'warn stop' -d 'when it is full: warn and go on, or stop'
complete -c bloomtool -n '__bloomtool_is create' -s R -l scheme -x -a 'dcso redisbloom guava bits-and-blooms go-zero guava-bitmap' -d 'by the rule of another program (dcso, guava ...)'
complete -c bloomtool -n '__bloomtool_is create' -s K -l key -x -a 'bytes utf16le int64' -d 'what that hashes of a key: bytes, utf16le or int64'
complete -c bloomtool -n '__bloomtool_is create' -s S -l seed -x -d 'hash with this seed instead of a random one'
complete -c bloomtool -n '__bloomtool_is create' -s L -l like -x -k -a '(__bloomtool_filters L)' -d 'take keys, rate, size and seed from FILTER'
complete -c bloomtool -n '__bloomtool_is create' -s N -l note -x -d 'keep this text in the file'
complete -c bloomtool -n '__bloomtool_is create' -s f -l force -d 'replace the file if it exists'
complete -c bloomtool -n '__bloomtool_is create' -s q -l quiet -d 'do not say what was made'
complete -c bloomtool -n '__bloomtool_is create' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is create' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is create' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is add' -s v -l unseen -d 'print the lines that were not in it before'
complete -c bloomtool -n '__bloomtool_is add' -s c -l count -d 'print how many those were, not the lines'
complete -c bloomtool -n '__bloomtool_is add' -s q -l quiet -d 'no notes; errors and warnings stay'
complete -c bloomtool -n '__bloomtool_is add' -s z -l null-data -d 'keys end in NUL instead of newline'
complete -c bloomtool -n '__bloomtool_is add' -s k -l field -x -d 'the key is field N of the line, from 1'
complete -c bloomtool -n '__bloomtool_is add' -s t -l delimiter -x -d 'fields end at this byte; default: blanks, as in awk'
complete -c bloomtool -n '__bloomtool_is add' -s b -l bytes -x -d 'the key is these bytes of the line (1-40, 9-, -16)'
complete -c bloomtool -n '__bloomtool_is add' -s i -l ignore-case -d 'A to Z in keys are as a to z'
complete -c bloomtool -n '__bloomtool_is add' -s r -l strip-cr -d 'a carriage return that ends a line is not in its key'
complete -c bloomtool -n '__bloomtool_is add' -s C -l create -d 'make it, as these say:'
complete -c bloomtool -n '__bloomtool_is add' -s n -l keys -x -d 'how many keys it shall hold (2e9, 10M)'
complete -c bloomtool -n '__bloomtool_is add' -s p -l rate -x -d 'how often it may be wrong (1e-4, 0.1%); default 0.01'
complete -c bloomtool -n '__bloomtool_is add' -s s -l size -x -d 'how large the file may be (500MB, 4GiB)'
complete -c bloomtool -n '__bloomtool_is add' -s P -l prefer -x -a 'speed space' -d 'speed (a block a key if that costs little) or space'
complete -c bloomtool -n '__bloomtool_is add' -s g -l grow -d 'add layers when it is full; default without -n, -s'
complete -c bloomtool -n '__bloomtool_is add' -s F -l full -x -a 'warn stop' -d 'when it is full: warn and go on, or stop'
complete -c bloomtool -n '__bloomtool_is add' -s R -l scheme -x -a 'dcso redisbloom guava bits-and-blooms go-zero guava-bitmap' -d 'by the rule of another program (dcso, guava ...)'
complete -c bloomtool -n '__bloomtool_is add' -s K -l key -x -a 'bytes utf16le int64' -d 'what that hashes of a key: bytes, utf16le or int64'
complete -c bloomtool -n '__bloomtool_is add' -s S -l seed -x -d 'hash with this seed instead of a random one'
complete -c bloomtool -n '__bloomtool_is add' -s L -l like -x -k -a '(__bloomtool_filters L)' -d 'take keys, rate, size and seed from FILTER'
complete -c bloomtool -n '__bloomtool_is add' -s N -l note -x -d 'keep this text in the file'
complete -c bloomtool -n '__bloomtool_is add' -s y -l no-sync -d 'let the kernel choose when keys reach the disk'
complete -c bloomtool -n '__bloomtool_is add' -s w -l wait -x -d 'how long to wait for other writers; default: no end'
complete -c bloomtool -n '__bloomtool_is add' -s W -l network -d 'write to a network file system; only this host may'
complete -c bloomtool -n '__bloomtool_is add' -s j -l threads -x -d 'use N threads; default: one a processor, up to 8'
complete -c bloomtool -n '__bloomtool_is add' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is add' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is add' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is check' -s v -l unseen -d 'print the lines that surely are not in it'
complete -c bloomtool -n '__bloomtool_is check' -s c -l count -d 'print how many lines, not the lines'
complete -c bloomtool -n '__bloomtool_is check' -s q -l quiet -d 'print nothing; the exit status is the answer'
complete -c bloomtool -n '__bloomtool_is check' -s H -l with-filename -d 'print the input\'s name before each line or count'
complete -c bloomtool -n '__bloomtool_is check' -s x -l except -r -F -d 'the keys in this file, one a line, count as not in'
complete -c bloomtool -n '__bloomtool_is check' -s z -l null-data -d 'keys end in NUL instead of newline'
complete -c bloomtool -n '__bloomtool_is check' -s j -l threads -x -d 'use N threads; default: one a processor, up to 8'
complete -c bloomtool -n '__bloomtool_is check' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is check' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is check' -s k -l field -x -d 'the key is field N of the line, from 1'
complete -c bloomtool -n '__bloomtool_is check' -s t -l delimiter -x -d 'fields end at this byte; default: blanks, as in awk'
complete -c bloomtool -n '__bloomtool_is check' -s b -l bytes -x -d 'the key is these bytes of the line (1-40, 9-, -16)'
complete -c bloomtool -n '__bloomtool_is check' -s i -l ignore-case -d 'A to Z in keys are as a to z'
complete -c bloomtool -n '__bloomtool_is check' -s r -l strip-cr -d 'a carriage return that ends a line is not in its key'
complete -c bloomtool -n '__bloomtool_is check' -s K -l key -x -a 'bytes utf16le int64' -d 'what other programs hash: bytes, utf16le or int64'
complete -c bloomtool -n '__bloomtool_is check' -s f -l filter -x -k -a '(__bloomtool_filters f)' -d 'look in this filter; may be given again and again'
complete -c bloomtool -n '__bloomtool_is check' -s F -l filters-from -r -F -d 'look in the filters that this file names, one a line'
complete -c bloomtool -n '__bloomtool_is check' -s a -l all -d 'a line is in if every filter has it, not any'
complete -c bloomtool -n '__bloomtool_is check' -s w -l which -d 'print each filter that has it, a tab, and the line'
complete -c bloomtool -n '__bloomtool_is check' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is stats' -s c -l check -d 'print only what is wrong; exit 1 if one is overfull'
complete -c bloomtool -n '__bloomtool_is stats' -s J -l json -d 'one JSON object a line'
complete -c bloomtool -n '__bloomtool_is stats' -s l -l layers -d 'a table of the layers of each filter instead'
complete -c bloomtool -n '__bloomtool_is stats' -s V -l verify -d 'look at every bit, and compare with the count'
complete -c bloomtool -n '__bloomtool_is stats' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is stats' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is stats' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is estimate' -s n -l keys -x -d 'how many keys it shall hold (2e9, 10M)'
complete -c bloomtool -n '__bloomtool_is estimate' -s p -l rate -x -d 'how often it may be wrong (1e-4, 0.1%); default 0.01'
complete -c bloomtool -n '__bloomtool_is estimate' -s s -l size -x -d 'how large the file may be (500MB, 4GiB)'
complete -c bloomtool -n '__bloomtool_is estimate' -s P -l prefer -x -a 'speed space' -d 'speed (a block a key if that costs little) or space'
complete -c bloomtool -n '__bloomtool_is estimate' -s c -l curve -d 'the numbers of the charts, for gnuplot'
complete -c bloomtool -n '__bloomtool_is estimate' -s g -l plot -d 'draw the rate by keys and the size by rate'
complete -c bloomtool -n '__bloomtool_is estimate' -s J -l json -d 'one JSON object instead of a table'
complete -c bloomtool -n '__bloomtool_is estimate' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is union' -s o -l output -x -k -a '(__bloomtool_filters o)' -d 'the filter to make'
complete -c bloomtool -n '__bloomtool_is union' -s f -l force -d 'replace OUT if it exists'
complete -c bloomtool -n '__bloomtool_is union' -s q -l quiet -d 'do not say what was made'
complete -c bloomtool -n '__bloomtool_is union' -s w -l wait -x -d 'how long to wait for other writers; default: no end'
complete -c bloomtool -n '__bloomtool_is union' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is union' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is union' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is intersect' -s o -l output -x -k -a '(__bloomtool_filters o)' -d 'the filter to make'
complete -c bloomtool -n '__bloomtool_is intersect' -s f -l force -d 'replace OUT if it exists'
complete -c bloomtool -n '__bloomtool_is intersect' -s q -l quiet -d 'do not say what was made'
complete -c bloomtool -n '__bloomtool_is intersect' -s w -l wait -x -d 'how long to wait for other writers; default: no end'
complete -c bloomtool -n '__bloomtool_is intersect' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is intersect' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is intersect' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is import' -s F -l from -x -a 'libbloom pybloomfiltermmap3 redisbloom dcso bits-and-blooms guava dcso-0.1 redisbloom-2.0 redisbloom-1.1 redis-bitmap' -d 'what FOREIGN is; default: what it looks like'
complete -c bloomtool -n '__bloomtool_is import' -s K -l key -x -a 'bytes utf16le int64' -d 'what that hashes of a key: bytes, utf16le or int64'
complete -c bloomtool -n '__bloomtool_is import' -s V -l verify -r -F -d 'make nothing unless all lines of this file are in it'
complete -c bloomtool -n '__bloomtool_is import' -s N -l note -x -d 'keep this text in the file'
complete -c bloomtool -n '__bloomtool_is import' -s f -l force -d 'replace FILTER if it exists'
complete -c bloomtool -n '__bloomtool_is import' -s q -l quiet -d 'do not say what was made'
complete -c bloomtool -n '__bloomtool_is import' -s w -l wait -x -d 'how long to wait for other writers; default: no end'
complete -c bloomtool -n '__bloomtool_is import' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is import' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is import' -s n -l name -x -d 'the key, if there is more than one'
complete -c bloomtool -n '__bloomtool_is import' -s m -l bits -x -d 'of a redis-bitmap: how many bits it has'
complete -c bloomtool -n '__bloomtool_is import' -s k -l hashes -x -d 'how many of them a key has'
complete -c bloomtool -n '__bloomtool_is import' -s R -l rule -x -a 'guava go-zero' -d 'and which: guava or go-zero'
complete -c bloomtool -n '__bloomtool_is import' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is export' -s t -l to -x -a 'redisbloom dcso bits-and-blooms guava redis-bitmap' -d 'what the other program loads'
complete -c bloomtool -n '__bloomtool_is export' -s n -l name -x -d 'the key in Redis, which is replaced'
complete -c bloomtool -n '__bloomtool_is export' -s Z -l gzip -d 'compress it'
complete -c bloomtool -n '__bloomtool_is export' -s f -l force -d 'replace FILE if it exists'
complete -c bloomtool -n '__bloomtool_is export' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is export' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is export' -s h -l help -d 'print this and exit'
complete -c bloomtool -n '__bloomtool_is recover' -s a -l accept -d 'read no keys: live with those that are lost'
complete -c bloomtool -n '__bloomtool_is recover' -s q -l quiet -d 'do not say what was done'
complete -c bloomtool -n '__bloomtool_is recover' -s z -l null-data -d 'keys end in NUL instead of newline'
complete -c bloomtool -n '__bloomtool_is recover' -s w -l wait -x -d 'how long to wait for other writers; default: no end'
complete -c bloomtool -n '__bloomtool_is recover' -s W -l network -d 'write to a network file system; only this host may'
complete -c bloomtool -n '__bloomtool_is recover' -l progress -d 'show how far it is, even if stderr is no terminal'
complete -c bloomtool -n '__bloomtool_is recover' -l no-progress -d 'never show it, unless SIGUSR1 asks'
complete -c bloomtool -n '__bloomtool_is recover' -s k -l field -x -d 'the key is field N of the line, from 1'
complete -c bloomtool -n '__bloomtool_is recover' -s t -l delimiter -x -d 'fields end at this byte; default: blanks, as in awk'
complete -c bloomtool -n '__bloomtool_is recover' -s b -l bytes -x -d 'the key is these bytes of the line (1-40, 9-, -16)'
complete -c bloomtool -n '__bloomtool_is recover' -s i -l ignore-case -d 'A to Z in keys are as a to z'
complete -c bloomtool -n '__bloomtool_is recover' -s r -l strip-cr -d 'a carriage return that ends a line is not in its key'
complete -c bloomtool -n '__bloomtool_is recover' -s h -l help -d 'print this and exit'

/*
 * forbid_counter PROGRAM ARGUMENT…: runs a program in which reading the time-stamp counter raises SIGSEGV.
 *
 * The setting outlives exec and is inherited by children. C, because no runtime may read a clock between the two calls.
 * A dynamic loader may read the counter before main (glibc's does): a program that is to survive must be linked
 * statically.
 *
 * Exit 125: the kernel refuses the setting. Exit 127: the program could not be started. Otherwise the program's own.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: forbid_counter PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0) {
        perror("forbid_counter: prctl(PR_SET_TSC)");
        return 125;
    }
    execv(argv[1], argv + 1);
    perror("forbid_counter: exec");
    return 127;
}

# shellcheck shell=bash
# Sourced by whoever runs programs for Windows under Wine.

# prepare_wine FOLDER: what Wine needs there, and the environment that makes it look there, not in the user's own ~/.wine.
prepare_wine() {
    # Rust's standard library takes random numbers from a library that Wine 8 lacks; where Wine has it, Wine's is used.
    printf '%s\n' '#include <windows.h>' \
        'BOOLEAN NTAPI SystemFunction036(void *data, ULONG size);' \
        '__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size)' \
        '{ return SystemFunction036(data, (ULONG)size); }' >"$1/prng.c"
    x86_64-w64-mingw32-gcc -shared -o "$1/bcryptprimitives.dll" "$1/prng.c" -ladvapi32
    export WINEPREFIX=$1/wine WINEPATH=$1 WINEDEBUG=-all
}

// Dot product of two arrays, for tests of the disassembly of AArch64.
    .text
    .globl dot
    .type dot,@function
dot:
    cbz x2, .Lzero
    movi v0.2d, #0
    adrp x3, table
    add x3, x3, :lo12:table
    ldr d2, [x3, #8]
.Lloop:
    ldr q1, [x0], #16
    ldr q3, [x1], #16
    fmla v0.2d, v1.2d, v3.2d
    subs x2, x2, #2
    b.hi .Lloop
    faddp d0, v0.2d
    bl helper
    ret
.Lzero:
    movi d0, #0
    ret
    .size dot, .-dot
    .data
table:
    .quad 1
    .quad 2

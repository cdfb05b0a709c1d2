# Two loops, one with a call, for tests of the disassembly of x86-64.
    .text
    .globl sums
    .type sums,@function
sums:
    xorl %eax, %eax
    pxor %xmm0, %xmm0
    movdqu table(%rip), %xmm3
.Lfirst:
    movdqu (%rdi,%rax,8), %xmm2
    paddq %xmm2, %xmm0
    call helper
    addq $2, %rax
    cmpq %rsi, %rax
    jne .Lfirst
.Lsecond:
    addq (%rdi), %rdx
    addq $8, %rdi
    decq %rsi
    jne .Lsecond
    movq %rdx, %rax
    ret
    .size sums, .-sums
    .type small,@function
small:
    ret
    .size small, .-small
    .data
table:
    .quad 1
    .quad 2

! Solves linear systems and finds eigenvalues with LAPACK: what a numerical program does. Arguments: how many, and their size if that is to
! be the same.
program solve
  implicit none
  integer :: rounds, n, round, info, fixed
  character(len=16) :: argument
  double precision, allocatable :: a(:, :), s(:, :), b(:), w(:), work(:)
  integer, allocatable :: pivots(:)

  call get_command_argument(1, argument)
  read (argument, *) rounds
  call get_command_argument(2, argument)
  fixed = 0
  if (argument /= ' ') read (argument, *) fixed
  do round = 1, rounds
    n = 30 + mod(7 * round, 40)
    if (fixed > 0) n = fixed
    allocate (a(n, n), s(n, n), b(n), w(n), work(4 * n), pivots(n))
    call fill(a, b, n, round)
    s = a + transpose(a)
    call dgesv(n, 1, a, n, pivots, b, n, info)
    call dsyev('V', 'U', n, s, n, w, work, 4 * n, info)
    if (mod(round, 4) == 1) print '(i4, 2f14.8)', n, sum(b), maxval(w)
    deallocate (a, s, b, w, work, pivots)
  end do

contains

  subroutine fill(a, b, n, seed)
    integer, intent(in) :: n, seed
    double precision, intent(out) :: a(n, n), b(n)
    integer :: i, j, state
    state = seed
    do j = 1, n
      do i = 1, n
        state = mod(state * 1103 + 12345, 65536)
        a(i, j) = dble(state) / 65536 - 0.5d0
      end do
      a(j, j) = a(j, j) + n
      b(j) = j
    end do
  end subroutine fill

end program solve

! A heat stencil, array expressions, select case and recursion.
module grid
  implicit none
contains
  subroutine relax(a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(inout) :: b(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1))
      end do
    end do
  end subroutine

  recursive function fact(n) result(r)
    integer, intent(in) :: n
    integer(8) :: r
    if (n <= 1) then
      r = 1
    else
      r = n * fact(n - 1)
    end if
  end function

  integer function kind_of(n)
    integer, intent(in) :: n
    select case (mod(n, 9))
    case (0)
      kind_of = 1
    case (1:3)
      kind_of = n
    case (5, 7)
      kind_of = -n
    case default
      kind_of = 0
    end select
  end function
end module

program stencil
  use grid
  implicit none
  integer, parameter :: n = 24
  real(8) :: a(n, n), b(n, n)
  integer :: step, i, total
  a = 0
  a(1, :) = 1
  a(:, n) = 2
  b = a
  do step = 1, 12
    call relax(a, b, n)
    call relax(b, a, n)
  end do
  total = 0
  do i = 1, 100
    total = total + kind_of(i)
  end do
  print '(f12.8, i8, i12)', sum(a) / size(a), total, fact(11)
end program

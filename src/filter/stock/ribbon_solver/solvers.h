// The solvers of Ribbon's linear system, one for each instruction set (ribbon_solve.h).
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SOLVERS_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SOLVERS_H_

#include "src/filter/stock/ribbon_solve.h"

namespace bloomline::stock {

RibbonSolver PortableRibbonSolver();
RibbonSolver Avx2RibbonSolver();    // x86-64
RibbonSolver Avx512RibbonSolver();  // x86-64

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_SOLVER_SOLVERS_H_

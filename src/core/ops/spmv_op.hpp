#pragma once
// z := epilogue(alpha*op(A)*x + beta*y): a product with a vector, and an operation on every element of it.
#include "core/kept_memory.hpp"
#include "core/opaque.hpp"
#include "core/operations.hpp"
#include <heron/args.h>
#include <heron/args/row_epilogue.h>
#include <list>
#include <memory>
#include <string>

namespace heron::core {

// z is role::c. Of the vectors only sizes and types count.
struct spmv_op_problem {
    heron_operation op = HERON_OP_NONE;
    heron_spmat a{};
    heron_dnvec x{}, y{}, z{};
    heron_type compute_type = HERON_R_32F;
};

void spmv_op_size(context& c, const phase_call& phase, const spmv_op_problem& problem);

// The product, analysed. It keeps the addresses of A's arrays and of the workspace.
class spmv_op_product {
  public:
    spmv_op_product(context& c, const spmv_op_problem& problem, void* workspace);
    // In memory of its own.
    spmv_op_product(context& c, const spmv_op_problem& problem);

    const spmv_op_problem& problem() const { return problem_; }
    // z := alpha*op(A)*x + beta*y. z may be y, and must not overlap with x.
    void run(context& c, const void* alpha, const heron_dnvec& x, const void* beta, const heron_dnvec& y,
             const heron_dnvec& z);

  private:
    void analyse(context& c);

    spmv_op_problem problem_;
    kept_memory own_;
    void* workspace_;
    analysis kept_;
};

// What is done with every element of the product: v := epilogue(identity, v). The operators' fields of
// `operators` count; HERON_EPILOGUE_STORE leaves v as it is. LTO-IR is that of row_epilogue.h.
class spmv_op_plan : public opaque<spmv_op_plan> {
  public:
    // Compiles what is code, of which it keeps copies. Throws NOT_SUPPORTED where the backend does not take
    // it.
    spmv_op_plan(context& c, std::shared_ptr<spmv_op_product> product, const heron_spmm_op_args& operators);
    spmv_op_plan(const spmv_op_plan&) = delete;
    spmv_op_plan& operator=(const spmv_op_plan&) = delete;

    // Gives a variable of LTO-IR its value.
    void set_global(context& c, const char* name, const void* data, size_t size);
    void run(context& c, const void* alpha, const heron_dnvec& x, const void* beta, const heron_dnvec& y,
             const heron_dnvec& z);

  private:
    struct global {
        std::string name, data;
    };

    heron_spmm_op_args arguments(const heron_dnvec& z);
    void list(const std::list<global>& globals);

    std::shared_ptr<spmv_op_product> product_;
    heron_spmm_op_args operators_;
    std::string epilogue_;
    std::list<global> globals_;
    std::vector<heron_code_global> values_;
    heron_code_globals listed_{};
};

}  // namespace heron::core

// SetColorAlgs and GetColorAlgs.
#include "cusparse/legacy/color.hpp"
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::role;

cusparseStatus_t cusparseSetColorAlgs(cusparseColorInfo_t info, cusparseColorAlg_t alg) {
    return guarded({__func__, {}, typed_names}, [&] {
        core::alive(info, role::info);
        core::require(alg == CUSPARSE_COLOR_ALG0 || alg == CUSPARSE_COLOR_ALG1, "alg",
                      "is not one of its values");
        info->algorithm = alg;
    });
}

cusparseStatus_t cusparseGetColorAlgs(cusparseColorInfo_t info, cusparseColorAlg_t* alg) {
    return guarded({__func__, {}, typed_names}, [&] {
        core::alive(info, role::info);
        *core::required(alg, "alg") = info->algorithm;
    });
}

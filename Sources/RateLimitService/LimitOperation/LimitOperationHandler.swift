import Contracts
import ServiceRuntime

/// `postern.ratelimit.v1.LimitOperation`: the operator's rpcs, besides the limits file (`postern
/// limits`).
struct LimitOperationHandler: LimitOperationService {
    let policies: CurrentPolicies
    let subjectKeys: SubjectKeys
    let time: any Time
}

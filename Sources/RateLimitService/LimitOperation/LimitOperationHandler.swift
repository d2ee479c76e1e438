import Contracts
import ServiceRuntime

/// `postern.ratelimit.v1.LimitOperation`: the operator's rpcs, besides the limits file (`postern
/// limits`). Each rpc is in the file of its name: `listLimits`, `listSubjectKeys`,
/// `rotateSubjectKey`.
struct LimitOperationHandler: LimitOperationService {
    let policies: CurrentPolicies
    let subjectKeys: SubjectKeys
    let time: any Time
}

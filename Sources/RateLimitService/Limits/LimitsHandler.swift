import Contracts
import RPC
import ServiceRuntime
import Synchronization

/// `postern.ratelimit.v1.Limits` (R-01 … R-06): exact decisions in memory, on disk before the
/// response if the limit is durable, so that a restart resets no limit. Each rpc is in the file of
/// its name: `consume`, `check`, `refund`, `succeed`, `peek`, `reset`.
package final class LimitsHandler: LimitsService {
    /// The states of subjects under limits.
    let subjects: SubjectTable
    let devices: KnownDevices
    let ledger: SharedLedger
    let policies: PoliciesInForce
    let hits: LimitHits
    let chargeIDs: ChargeIDs
    /// The applications that may delete subjects' states.
    let resetsFrom: [String]
    let time: any Time
    let alarm = Mutex(CredentialStuffingDetector())

    /// The states by their keys.
    var table: LimitTable { subjects.table }

    init(
        subjects: SubjectTable, devices: KnownDevices, ledger: SharedLedger,
        policies: PoliciesInForce, hits: LimitHits, chargeIDs: ChargeIDs, resetsFrom: [String],
        time: any Time
    ) {
        self.subjects = subjects
        self.devices = devices
        self.ledger = ledger
        self.policies = policies
        self.hits = hits
        self.chargeIDs = chargeIDs
        self.resetsFrom = resetsFrom
        self.time = time
    }
}

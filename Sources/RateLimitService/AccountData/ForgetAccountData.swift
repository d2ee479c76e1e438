import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Deletes what limits count of the account, its emails and its phone numbers, with one audit
    /// event that names none of them. Their known devices do not count any more: whoever signs up
    /// with the address next inherits none.
    ///
    /// What counts the messages to an email or a number stays, and ends by itself within days.
    /// Attack: somebody signs up with a victim's email, or by codes to a number that earns from
    /// each message, deletes the account, and does it again, as often as the limits forget.
    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let subject = try AccountDataSubject(request.subject)
        try await forgetDevices(of: subject)
        let counted = counted(subject).filter { !$0.countsMessages }
        let (subjects, policies, now) = (limits.subjects, limits.policies.value, time.now())
        for counted in counted {
            let keys = subjects.reset(
                counted.limit, counted.name.text, policies.rule(counted.limit), at: now)
            limits.ledger.withLock { $0.forget(keys) }
        }
        if !counted.isEmpty {
            try await subjects.table.persisted()
            try await limits.hits.audit(
                AuditEvent(.limitReset, attempt: Int64(clamping: counted.count)))
        }
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: counted.count))
    }

    /// The marks of single devices cannot be found by their owner; they expire after 90 days. Those
    /// of the account at sites neither; they expire after 30 days.
    private func forgetDevices(of subject: AccountDataSubject) async throws {
        let now = time.now()
        limits.sites.forget(subject.account.text, at: now)
        let owners = Self.names(of: subject).compactMap { name in
            name.deviceLimit.map { TrustedLane.owner($0, name.text) }
        }
        for owner in owners where !limits.devices.forget(owner, at: now) {
            limits.hits.devicesFull()
        }
        try await limits.devices.subjects.table.persisted()
    }
}

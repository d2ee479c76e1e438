import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountNoticesHandler {
    /// Accepts a notice from the session service for an account's owner. Idempotent: one
    /// transaction enqueues the mail and stores the response under the call's idempotency key
    /// (S-03, G-10).
    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        let account = try AccountID.required(request.accountId)
        guard let template = MailTemplate(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        // The fingerprint leaves out the device and the place: a retry may arrive after the session
        // was erased.
        let call = try RepeatableCall(
            "Tell",
            [Array(account.text.utf8), Array("\(request.kind.rawValue) \(request.atMs)".utf8)],
            context, hash: keys.calls)
        guard let call else {
            throw ServiceError(.invalidArgument, fields: ["idempotency-key"])
        }
        let mailed = try await store.write(about: [.account(account)]) { transaction in
            if let first = try transaction.storedResponse(of: call) { return first.done }
            let mailed = try notices.write(
                template, to: account,
                DeviceShown(
                    name: request.deviceName, platform: request.platform, agent: request.agent,
                    at: Place(text: request.place)),
                at: Timestamp(milliseconds: request.atMs), key: outbox.key(of: call), transaction)
            try transaction.remember(
                call, .init(account: account.key, done: mailed))
            return mailed
        }
        return IdentityV1.TellResponse(mailed: mailed)
    }
}

extension MailTemplate {
    /// Notices with numbers from here on are the identity service's own: no other service can
    /// request them.
    private static let firstOwnKind: Int64 = 64

    /// The notice that a caller requests; nil when its kind is missing or unknown.
    init?(_ kind: IdentityV1.NoticeKind) {
        let number = Int64(kind.rawValue)
        guard number < Self.firstOwnKind,
            let notice = Self.allCases.first(where: { $0.noticeKind == number })
        else { return nil }
        self = notice
    }
}

import Messages
import RPC
import ServiceRuntime
import Storage

/// Accepts a notice from the session service for an account's owner. Idempotent: one transaction
/// enqueues the mail and stores the response under the call's idempotency key (S-03, G-10).
struct AccountNotice: Sendable {
    let parts: IdentityParts

    /// - Throws: `rpc/invalid-argument` for an invalid account id or kind, or without an
    ///   idempotency key; `auth/idempotency-key-reused`.
    func run(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        guard let kind = NoticeKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        // The fingerprint leaves out the device's name: a retry may arrive after the session was
        // erased.
        let call = try RepeatableCall(
            "Tell", [Array(account.text.utf8), Array("\(kind.rawValue) \(request.atMs)".utf8)],
            context, hash: parts.keys.calls)
        guard let call else {
            throw ServiceError(.invalidArgument, fields: ["idempotency-key"])
        }
        let mailed = try await parts.store.write { transaction in
            if let first = try transaction.storedResponse(of: call) { return first.figure == 1 }
            let mailed = try NoticeMail(parts: parts).write(
                kind, to: account,
                DeviceShown(name: request.deviceName, platform: request.platform),
                at: request.atMs, key: IdentityOutbox(parts: parts).key(of: call), transaction)
            try transaction.remember(
                call, StoredResponse(account: account.key, figure: mailed ? 1 : 0))
            return mailed
        }
        return IdentityV1.TellResponse(mailed: mailed)
    }
}

/// Formats a time for a mail.
enum NoticeTime {
    /// To the minute, in UTC: `2026-01-31 09:05 UTC`.
    static func text(of milliseconds: Int64) -> String {
        let text = Timestamp(milliseconds: milliseconds).text
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return text }
        return "\(halves[0]) \(halves[1].prefix(5)) UTC"
    }
}

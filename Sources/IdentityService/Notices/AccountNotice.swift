import CallRecords
import Messages
import RPC
import ServiceRuntime
import Storage

/// Takes on what session has to tell an account's owner, once for each key: the mail goes into the
/// outbox in one transaction with the note that it was told (S-03, G-10).
struct AccountNotice: Sendable {
    let parts: IdentityParts

    /// - Throws: `rpc/invalid-argument`, `auth/idempotency-key-reused`.
    func run(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        guard let kind = NoticeKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        // The device's words are left out: a repeat may come after its session was erased.
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

/// A moment as a mail tells it.
enum NoticeTime {
    /// To the minute, in UTC: `2026-01-31 09:05 UTC`.
    static func text(of milliseconds: Int64) -> String {
        let text = Timestamp(milliseconds: milliseconds).text
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return text }
        return "\(halves[0]) \(halves[1].prefix(5)) UTC"
    }
}

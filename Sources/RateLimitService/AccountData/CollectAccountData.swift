import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime

extension AccountDataHandler {
    /// Sends the limits that count the account, its emails or its phone numbers now.
    func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest,
        _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>, _ context: CallContext
    ) async throws {
        try context.requireIdentity()
        let subject = try AccountDataSubject(request.subject)
        var file = try await AccountDataFile("limits.json", items)
        for counted in counted(subject) {
            let verdict = counted.verdict
            try await file.append([
                "limit": .string(counted.limit.rawValue), "counted_by": .string(counted.name.kind),
                "count": .integer(Int64(clamping: verdict.attempt - 1)),
                "limited": .boolean(verdict.isLimited),
                "limited_until": .text(verdict.isLimited ? verdict.retryAt?.text : nil),
            ])
        }
        try await file.end()
    }
}

import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    private static let limitDefault: UInt32 = 50
    static let limitMax: UInt32 = 200

    /// Lists accounts for an operator, in pages (I-09).
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func listAccounts(
        _ request: IdentityV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListAccountsResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let wanted = try AccountFilter(request)
        let limit = request.limit == 0 ? Self.limitDefault : min(request.limit, Self.limitMax)
        let (page, facts) = try await store.read { session in
            let page = try session.accounts(wanted, limit: Int64(limit))
            return (page, try page.rows.map { try answers.facts($0.0, in: session) })
        }
        if request.showPersonalData, !page.rows.isEmpty {
            let event = AuditEvent(.accountsShown, attempt: Int64(page.rows.count)).by(caller)
            try await store.write(about: []) { try $0.audit(event) }
        }
        return IdentityV1.ListAccountsResponse(
            accounts: zip(page.rows, facts).compactMap { found, facts in
                reader.readable(found.0.account, logger) {
                    try message(
                        found.0, facts, found.1, showsPersonal: request.showPersonalData)
                }
            },
            nextPage: page.next?.text ?? "")
    }
}

/// The filter of a listing. A nil field matches every account.
struct AccountFilter: Hashable, Sendable {
    let status: AccountStatus?
    let createdFrom: Timestamp?
    let createdBefore: Timestamp?
    let signedInFrom: Timestamp?
    /// Also matches accounts without any sign-in.
    let signedInBefore: Timestamp?
    /// The last account of the previous page.
    let after: AccountID?

    /// - Throws: `rpc/invalid-argument`.
    init(_ request: IdentityV1.ListAccountsRequest) throws(ServiceError) {
        func moment(_ milliseconds: Int64, _ field: String) throws(ServiceError) -> Timestamp? {
            guard milliseconds >= 0 else { throw ServiceError(.invalidArgument, fields: [field]) }
            return milliseconds == 0 ? nil : Timestamp(milliseconds: milliseconds)
        }
        switch request.status {
        case .unspecified: status = nil
        case .active: status = .active
        case .suspended: status = .suspended
        case .pendingVerification: status = .pendingVerification
        case .deleting: status = .deleting
        case .unrecognized: throw ServiceError(.invalidArgument, fields: ["status"])
        }
        createdFrom = try moment(request.createdFromMs, "created_from_ms")
        createdBefore = try moment(request.createdBeforeMs, "created_before_ms")
        signedInFrom = try moment(request.signedInFromMs, "signed_in_from_ms")
        signedInBefore = try moment(request.signedInBeforeMs, "signed_in_before_ms")
        after = request.page.isEmpty ? nil : AccountID(text: request.page)
        guard request.page.isEmpty == (after == nil) else {
            throw ServiceError(.invalidArgument, fields: ["page"])
        }
    }
}

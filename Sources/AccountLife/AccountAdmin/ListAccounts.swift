import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    private static let limitDefault: UInt32 = 50
    static let limitMax: UInt32 = 200

    /// Lists accounts for an operator, in pages (I-09).
    func listAccounts(
        _ request: GatewayV1.ListAccountsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListAccountsResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let wanted = try AccountFilter(request)
        let limit =
            request.pageSize == 0 ? Self.limitDefault : min(request.pageSize, Self.limitMax)
        let (page, facts) = try await store.read { session in
            let page = try session.accounts(wanted, limit: Int64(limit))
            return (page, try page.rows.map { try answers.facts($0.0, in: session) })
        }
        if request.showPersonalData, !page.rows.isEmpty {
            let event = AuditEvent(.accountsShown, attempt: Int64(page.rows.count)).by(caller)
            try await store.write(about: []) { try $0.audit(event) }
        }
        return GatewayV1.ListAccountsResponse(
            accounts: zip(page.rows, facts).compactMap { found, facts in
                reader.readable(found.0.account, logger) {
                    var shown = try message(
                        found.0, facts, found.1, showsPersonal: request.showPersonalData)
                    // Of 200 accounts they would be as much as all the rest.
                    shown.account?.consents = []
                    return shown
                }
            },
            nextPageToken: page.next?.text ?? "")
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
    init(_ request: GatewayV1.ListAccountsRequest) throws(ServiceError) {
        createdFrom = try Self.moment(request.createdFrom?.milliseconds, "created_from_at_ms")
        createdBefore = try Self.moment(request.createdBefore?.milliseconds, "created_before_at_ms")
        signedInFrom = try Self.moment(request.signedInFrom?.milliseconds, "signed_in_from_at_ms")
        signedInBefore = try Self.moment(
            request.signedInBefore?.milliseconds, "signed_in_before_at_ms")
        status = AccountStatus(request.status)
        guard request.status == .unspecified || status != nil else {
            throw ServiceError(.invalidArgument, fields: ["status"])
        }
        after = request.pageToken.isEmpty ? nil : AccountID(text: request.pageToken)
        guard request.pageToken.isEmpty == (after == nil) else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
    }

    /// A bound that the caller gave; nil for none. One of 0 or less is refused: it is a mistake, and
    /// must not list all accounts.
    private static func moment(
        _ milliseconds: Int64?, _ field: String
    ) throws(ServiceError) -> Timestamp? {
        guard let milliseconds else { return nil }
        guard milliseconds > 0 else { throw ServiceError(.invalidArgument, fields: [field]) }
        return Timestamp(milliseconds: milliseconds)
    }
}

extension GatewayV1.ListAccountsRequest.CreatedFrom {
    fileprivate var milliseconds: Int64 {
        switch self {
        case .createdFromAtMs(let moment): moment
        }
    }
}

extension GatewayV1.ListAccountsRequest.CreatedBefore {
    fileprivate var milliseconds: Int64 {
        switch self {
        case .createdBeforeAtMs(let moment): moment
        }
    }
}

extension GatewayV1.ListAccountsRequest.SignedInFrom {
    fileprivate var milliseconds: Int64 {
        switch self {
        case .signedInFromAtMs(let moment): moment
        }
    }
}

extension GatewayV1.ListAccountsRequest.SignedInBefore {
    fileprivate var milliseconds: Int64 {
        switch self {
        case .signedInBeforeAtMs(let moment): moment
        }
    }
}

import IdentityService
import Messages
import RPC
import ServiceRuntime

extension AccountAdminHandler {
    private static let orphansMax = 200

    /// Lists what the last checks have found, for an operator (I-04, I-09).
    func listOrphans(
        _ request: GatewayV1.ListOrphansRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListOrphansResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let kind = request.kind.isEmpty ? nil : try OrphanKind.required(request.kind)
        let page = orphans.findings.orphans(
            of: kind,
            after: try PageToken.place(request.pageToken, parts: 2) { OrphanPlace(parts: $0) },
            limit: Self.orphansMax)
        return GatewayV1.ListOrphansResponse(
            orphans: page.map {
                GatewayV1.Orphan(
                    kind: $0.kind.rawValue, accountId: $0.account.text,
                    service: $0.kind.service.rawValue, repairable: $0.isRepairable)
            },
            nextPageToken: page.count < Self.orphansMax
                ? "" : page.last.map { PageToken.text($0.kind.rawValue, $0.account.text) } ?? "",
            checkedAtMs: orphans.findings.endedAt?.milliseconds ?? 0)
    }
}

extension OrphanKind {
    /// Parses the kind in a request.
    /// - Throws: `rpc/invalid-argument`.
    static func required(_ text: String) throws(ServiceError) -> OrphanKind {
        guard let kind = OrphanKind(rawValue: text) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        return kind
    }
}

/// A place in the list of orphans, which is in the order of kinds and accounts.
struct OrphanPlace: Hashable, Sendable {
    let kind: OrphanKind
    let account: AccountID

    /// The place of a page token's two parts.
    init?(parts: [String]) {
        guard let kind = OrphanKind(rawValue: parts[0]), let account = AccountID(text: parts[1])
        else { return nil }
        (self.kind, self.account) = (kind, account)
    }
}

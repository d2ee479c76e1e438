import Messages
import RPC
import ServiceRuntime
import Storage

extension ConsentsHandler {
    /// Changes the privacy settings that the request has (G-23).
    func setPrivacy(
        _ request: GatewayV1.SetPrivacyRequest, _ call: AccountCall
    ) async throws -> GatewayV1.SetPrivacyResponse {
        let origin = call.origin
        let wanted = Self.wanted(request)
        let given = try await changing(call) { account, given, transaction in
            let changes = wanted.filter { $0.isGiven != (given[$0.kind] != nil) }
            guard !changes.isEmpty else { return false }
            for (kind, isGiven) in changes {
                if isGiven {
                    try transaction.give(
                        kind, version: settings.version(of: kind), to: account, by: .setPrivacy,
                        in: origin.app)
                } else {
                    try transaction.withdraw(kind, of: account)
                }
            }
            let privacy = try transaction.consents(of: account).privacy
            try transaction.audit(
                AuditEvent(
                    .privacyChanged, account: account.key,
                    attempt: (privacy.marketing ? 1 : 0) + (privacy.analytics ? 2 : 0)
                ).from(origin))
            return true
        }
        return GatewayV1.SetPrivacyResponse(privacy: given.privacy(in: call.voice))
    }

    private static func wanted(
        _ request: GatewayV1.SetPrivacyRequest
    ) -> [(kind: ConsentKind, isGiven: Bool)] {
        var wanted: [(kind: ConsentKind, isGiven: Bool)] = []
        if case .marketing(let isGiven) = request.newMarketing {
            wanted.append((.marketing, isGiven))
        }
        if case .analytics(let isGiven) = request.newAnalytics {
            wanted.append((.analytics, isGiven))
        }
        return wanted
    }
}

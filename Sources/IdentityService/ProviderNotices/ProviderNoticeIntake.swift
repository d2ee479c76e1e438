import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Processes a provider's notice (G-05): verifies its signature, validates its claims, applies the
/// rule, writes.
///
/// The response is the same in every case, so it does not disclose whether a subject has an
/// account, and Apple does not resend a notice that can never be accepted. Only a temporary failure
/// (the provider's keys, our store) returns an error, and Apple then resends.
///
/// Each notice takes effect once. Its id is stored, in the transaction of its effect, for longer
/// than a notice of that age is accepted. A notice without effect is not stored: a repeated
/// delivery has no effect either, because an identity that is linked in between is newer than the
/// notice.
struct ProviderNoticeIntake: Sendable {
    /// The only provider whose notices are supported. Another format needs another reader.
    private static let apple = BuiltInProvider.apple.rawValue
    /// How long an id is stored: the maximum age of a notice, and one day for clock differences.
    private static let rememberedFor = AppleNotice.ageMax + .seconds(24 * 3_600)

    let parts: IdentityParts
    let providers: Providers

    /// - Throws: `auth/operation-not-allowed` for a provider that is not configured, or that sends
    ///   no notices; `auth/provider-unavailable` when the provider's keys cannot be fetched.
    func run(_ request: IdentityV1.ReceiveRequest) async throws -> IdentityV1.ReceiveResponse {
        guard request.provider == Self.apple else {
            throw ServiceError(.operationNotAllowed, detail: "this provider's notices are not read")
        }
        let provider = try providers.provider(named: request.provider)
        if let notice = try await notice(request.payload, provider) {
            try await take(notice, of: provider)
        }
        return IdentityV1.ReceiveResponse()
    }

    /// The notice in a signed token; nil when the token is rejected.
    private func notice(_ payload: String, _ provider: Provider) async throws -> ProviderNotice? {
        do {
            let claims = try await providers.check.signedClaims(of: payload, from: provider.name)
            return try AppleNotice(
                claims, issuers: provider.issuers, audiences: provider.audiences,
                at: parts.time.now()
            ).notice
        } catch let refusal as NoticeRefusal {
            refused(refusal.rawValue)
        } catch let error as ServiceError where error.code == .invalidProviderToken {
            refused(error.detail)
        }
        return nil
    }

    private func refused(_ reason: String) {
        // Anybody can post to a public endpoint. At a higher level, strangers could fill the log.
        parts.logger.debug(
            "identity.provider_event.rejected", "a provider's event notification was rejected",
            fields: [.reason: .text(reason)])
    }

    private func take(_ notice: ProviderNotice, of provider: Provider) async throws {
        let lookUpKey = parts.keys.lookUpKey(
            of: ProvedIdentity(
                method: provider.name, issuer: provider.issuer, subject: notice.subject, amr: []))
        let key = parts.keys.identities.lookUpKey(
            DelimitedParts.joined(
                ["provider notice", provider.issuer, notice.id].map { Array($0.utf8) }))
        try await parts.store.write { transaction in
            let found = try transaction.noticedIdentity(lookUpKey: lookUpKey)
            guard let found, let row = try transaction.account(found.account) else { return }
            let decision = ProviderNoticeRule.decision(
                on: notice, about: .init(found, isLastMethod: row.methods == [found.method]))
            guard decision != .nothing,
                try transaction.noteProviderNotice(key, until: transaction.at + Self.rememberedFor)
            else { return }
            try ProviderNoticeActs(parts: parts, transaction: transaction)
                .run(decision, notice, found, row)
        }
    }
}

extension ProviderNoticeRule.Identity {
    fileprivate init(_ found: NoticedIdentity, isLastMethod: Bool) {
        self.init(
            usedAt: found.usedAt, relayToldAt: found.relayToldAt, isLastMethod: isLastMethod)
    }
}

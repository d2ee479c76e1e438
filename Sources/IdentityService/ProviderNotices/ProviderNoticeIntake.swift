import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Takes on a provider's notice (G-05): its signature, its claims, the rule, what follows.
///
/// Whoever posts to the operator's endpoint is answered alike, whatever became of it: nobody learns
/// whether a subject has an account here, and Apple does not send again what cannot be mended. Only
/// what cannot be decided now (the provider's keys, our store) is refused, and comes once more.
///
/// Acted on once: a notice's name is kept, in the transaction of what it leads to, for longer than a
/// notice of its age would be taken. One that leads to nothing leaves nothing: it never will, since
/// whatever it is about can only be younger by then.
struct ProviderNoticeIntake: Sendable {
    /// The one provider whose notices are read; another form is another reader.
    private static let apple = BuiltInProvider.apple.rawValue
    /// A name is kept for the age at which a notice is refused, and a day for clocks.
    private static let rememberedFor = AppleNotice.ageMax + .seconds(24 * 3_600)

    let parts: IdentityParts
    let providers: Providers

    /// - Throws: `auth/operation-not-allowed` for a provider that is not set up, or has no notices;
    ///   `auth/provider-unavailable`.
    func run(_ request: IdentityV1.ReceiveRequest) async throws -> IdentityV1.ReceiveResponse {
        guard request.provider == Self.apple else {
            throw ServiceError(.operationNotAllowed, detail: "no notices of this provider are read")
        }
        let provider = try providers.provider(named: request.provider)
        if let notice = try await notice(request.payload, provider) {
            try await take(notice, of: provider)
        }
        return IdentityV1.ReceiveResponse()
    }

    /// What the provider says; nil for what is not its word for us, or no more.
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
        // Anybody can post to a public endpoint: at a higher level strangers would fill the log.
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

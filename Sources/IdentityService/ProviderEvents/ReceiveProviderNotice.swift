import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProviderEventsHandler {
    /// How long an id is stored: the maximum age of a notice, and one day for clock differences.
    private static let rememberedFor = ProviderNotice.ageMax + .seconds(24 * 3_600)

    /// Processes a provider's notice (G-04, G-05): verifies its signature, validates its claims, applies
    /// the rule, writes.
    ///
    /// The response is the same in every case, so it does not disclose whether a subject has an
    /// account, and a provider does not resend a notice that can never be accepted. Only a
    /// temporary failure (the provider's keys, our store) returns an error, and the provider then
    /// resends.
    ///
    /// Each notice takes effect once. Its id is stored, in the transaction of its effect, for
    /// longer than a notice of that age is accepted. A notice without effect is not stored: a
    /// repeated delivery has no effect either, because an identity that is linked in between is
    /// newer than the notice.
    ///
    /// No limit is needed: the caller is a backend or the web service, and a notice without a valid
    /// signature costs a few microseconds and no access to the store.
    ///
    /// A provider that is not configured, or whose notices are not read, is refused.
    func receiveProviderNotice(
        _ request: GatewayV1.ReceiveProviderNoticeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReceiveProviderNoticeResponse {
        try context.requireGateway()
        guard let format = BuiltInProvider(rawValue: request.provider) else {
            throw ServiceError(.operationNotAllowed, detail: "this provider's notices are not read")
        }
        let provider = try providers.provider(named: request.provider)
        if let notice = try await notice(request.payload, provider, as: format) {
            try await take(notice, of: provider)
        }
        return GatewayV1.ReceiveProviderNoticeResponse()
    }

    /// The notice in a signed token; nil when the token is rejected, or is about no person.
    private func notice(
        _ payload: String, _ provider: Provider, as format: BuiltInProvider
    ) async throws -> ProviderNotice? {
        do {
            let claims = try await providers.check.signedClaims(of: payload, from: provider.name)
            switch format {
            case .apple:
                return try AppleNotice(
                    claims, issuers: provider.issuers, audiences: provider.audiences,
                    at: time.now()
                ).notice
            case .google:
                let google = try GoogleNotice(
                    claims, issuers: provider.issuers, audiences: provider.audiences,
                    at: time.now())
                // An operator who has registered the receiver looks for its `verification` here.
                logger.info(
                    "identity.provider_event.received",
                    "a provider's event notification was received",
                    fields: [.part: .text(provider.name), .reason: .text(google.name)])
                return google.notice
            }
        } catch let refusal as ProviderNotice.Refusal {
            refused(refusal.rawValue)
        } catch let error as ServiceError where error.code == .invalidProviderToken {
            refused(error.detail)
        }
        return nil
    }

    private func refused(_ reason: String) {
        // Anybody can post to a public endpoint. At a higher level, strangers could fill the log.
        logger.debug(
            "identity.provider_event.rejected", "a provider's event notification was rejected",
            fields: [.reason: .text(reason)])
    }

    private func take(_ notice: ProviderNotice, of provider: Provider) async throws {
        let lookUpKey = keys.lookUpKey(
            of: ProvedIdentity(
                method: .provider(provider.name), issuer: provider.issuer,
                subject: notice.subject))
        let key = keys.identities.lookUpKey(
            DelimitedParts.joined(
                ["provider notice", provider.issuer, notice.id].map { Array($0.utf8) }))
        try await store.write(about: []) { transaction in
            let found = try transaction.locked {
                try transaction.noticedIdentity(lookUpKey: lookUpKey)
            } about: {
                .account($0.account)
            }
            guard let found, let row = try transaction.account(found.account) else { return }
            let decision = ProviderNoticeRule.decision(
                on: notice,
                about: .init(
                    found, isLastMethod: settings.opening(row.methods) == [found.method]))
            guard decision != .nothing,
                try transaction.recordProviderNotice(
                    key, until: transaction.at + Self.rememberedFor)
            else { return }
            try apply(decision, notice, found, row, transaction)
        }
    }

    /// Writes a decision of `ProviderNoticeRule`.
    private func apply(
        _ decision: ProviderNoticeRule.Decision, _ notice: ProviderNotice,
        _ found: NoticedIdentity, _ row: AccountRow, _ transaction: Transaction
    ) throws {
        switch decision {
        case .nothing: break
        case .record: break
        case .endSessions: try endSessions(notice, row, .security, transaction)
        case .unlink:
            try endSessions(notice, row, .providerRevoked, transaction)
            try notifyOwner(found, row, transaction)
            try transaction.removeIdentity(found.identity)
            try transaction.removeLinks(about: found.method, of: row.account)
        case .keep:
            try endSessions(notice, row, .providerRevoked, transaction)
            try transaction.setGrant(found.identity, nil)
        case .notifyRelay: try notifyRelay(notice, found, transaction)
        }
        guard let kind = Self.kind(of: notice.event) else { return }
        var change: Int64?
        if case .recorded(let recorded) = notice.event { change = recorded.rawValue }
        try transaction.audit(
            AuditEvent(
                kind, account: row.account.key, attempt: change,
                detail: .method(found.method.name)))
    }

    /// Ends the sessions that were opened before the event. Sessions from a later sign-in with
    /// another method are kept. The event's time may be in whole seconds, so the whole second
    /// counts as before.
    private func endSessions(
        _ notice: ProviderNotice, _ row: AccountRow, _ reason: GatewayV1.EndReason,
        _ transaction: Transaction
    ) throws {
        let until = min(notice.at + .seconds(1), transaction.at)
        try transaction.endSessions(
            of: row.account, provedUntil: until, reason: reason, outbox)
    }

    /// Tells the owner, without a mail if the account's address is the provider's relay, which ends
    /// with the consent.
    private func notifyOwner(
        _ found: NoticedIdentity, _ row: AccountRow, _ transaction: Transaction
    ) throws {
        try notices.write(
            .methodRemoved, to: row, DeviceShown(nil), with: [.method(found.method)],
            byMail: !isRelay(of: found, row), transaction)
    }

    private func isRelay(of found: NoticedIdentity, _ row: AccountRow) throws -> Bool {
        guard let address = row.address else { return false }
        let vault = try reader.vault(row)
        let details = try IdentityDetails(
            text: vault.open(found.sealedDetails, .identityDetails(found.identity)))
        guard details.isRelay, let relay = EmailAddress(details.email) else { return false }
        return keys.lookUpKey(of: relay) == address.lookUpKey
    }

    private func notifyRelay(
        _ notice: ProviderNotice, _ found: NoticedIdentity, _ transaction: Transaction
    ) throws {
        guard case .relay(let address, let isOff) = notice.event else { return }
        try transaction.setRelayTold(found.identity, at: notice.at)
        try transaction.enqueue(outbox.relay(address, isOff: isOff, of: found.account))
    }

    /// Nil for an event without effect.
    private static func kind(of event: ProviderNotice.Event) -> AuditKind? {
        switch event {
        case .other: nil
        case .consentRevoked: .consentRevoked
        case .accountDeleted: .providerAccountDeleted
        case .sessionsRevoked(let isDisabled):
            isDisabled ? .providerAccountDisabled : .providerSessionsRevoked
        case .recorded: .providerAccountChanged
        case .relay(_, let isOff): isOff ? .relayTurnedOff : .relayTurnedOn
        }
    }
}

extension ProviderNoticeRule.Identity {
    fileprivate init(_ found: NoticedIdentity, isLastMethod: Bool) {
        self.init(
            usedAt: found.usedAt, relayToldAt: found.relayToldAt, isLastMethod: isLastMethod)
    }
}

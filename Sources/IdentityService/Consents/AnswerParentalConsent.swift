import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension ConsentsHandler {
    /// A parent's answer, by the token of the link in the mail (G-23). It needs no session: the
    /// parent has none. Without an answer nothing changes, so that scanners which open the link
    /// give no consent.
    func answerParentalConsent(
        _ request: GatewayV1.AnswerParentalConsentRequest, _ context: CallContext
    ) async throws -> GatewayV1.AnswerParentalConsentResponse {
        try context.requireGateway()
        guard let token = LinkToken(request.token) else { throw ServiceError(.invalidLink) }
        let hash = token.hash(ofPage: ParentalConsent.page, keys.links)
        let now = time.now()
        guard let shown = try await store.read({ try $0.parentalConsent(shownTo: hash, at: now) })
        else { throw ServiceError(.invalidLink) }
        let event: ParentalConsentRule.Event
        switch request.answer {
        case .unspecified: return try answer(shown.consent, shown.row, at: now)
        case .give: event = .given
        case .refuse: event = .refused
        default: throw ServiceError(.invalidArgument, fields: ["answer"])
        }
        let origin = CallOrigin(context, keys)
        let account = shown.row.account
        let answered = try await store.write(about: [.account(account)]) { transaction in
            guard let found = try transaction.parentalConsent(shownTo: hash, at: transaction.at),
                found.row.account == account
            else { throw ServiceError(.invalidLink) }
            try settle(found.consent, event, from: origin, transaction)
            return try transaction.parentalConsent(of: account)
        }
        guard let answered else { throw ServiceError(.invalidLink) }
        if answered.state.isEnded { writer.deletions.wake() }
        return try answer(answered, shown.row, at: now)
    }

    private func settle(
        _ consent: ParentalConsent, _ event: ParentalConsentRule.Event, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        switch ParentalConsentRule.outcome(consent.state, event) {
        case .unchanged, .free, .notAllowed: return
        case .becomes(.withdrawn):
            try transaction.withdrawParentalConsent(
                of: consent.account, writer.deletions, outbox)
            try transaction.audit(.parentRefused, consent.account, from: origin)
        case .becomes(let state):
            try transaction.answerParent(of: consent.account, state)
            try transaction.audit(.parentConsented, consent.account, from: origin)
        case .ends:
            try transaction.endParentalConsent(consent, writer.deletions)
            try transaction.audit(.parentRefused, consent.account, from: origin)
        }
    }

    private func answer(
        _ consent: ParentalConsent, _ row: AccountRow, at moment: Timestamp
    ) throws -> GatewayV1.AnswerParentalConsentResponse {
        let vault = try reader.vault(row)
        return GatewayV1.AnswerParentalConsentResponse(
            state: ParentalConsentState?(consent.state).message,
            childName: try vault.open(row.sealedDisplayName, .displayName),
            deletionAtMs: deletionAt(consent, at: moment)?.milliseconds ?? 0)
    }

    /// When the deletion of the account begins: without an answer, or after a withdrawal of consent.
    /// Nil if it has begun.
    private func deletionAt(_ consent: ParentalConsent, at moment: Timestamp) -> Timestamp? {
        switch consent.state {
        case .needed, .inherited, .requested: consent.expiresAt
        case .given: writer.deletions.due(from: moment)
        case .withdrawn: writer.deletions.due(from: consent.changedAt)
        case .refused: nil
        }
    }
}

extension SQLSession {
    /// The consent that a link is about, and its account. Nil for a link that another has replaced,
    /// whose time is over, whose child has reached the least age, or whose account is being deleted
    /// for another reason.
    func parentalConsent(
        shownTo tokenHash: [UInt8], at moment: Timestamp
    ) throws -> (consent: ParentalConsent, row: AccountRow)? {
        guard let consent = try parentalConsent(tokenHash: tokenHash),
            let row = try account(consent.account),
            row.status != .deleting || consent.state.isEnded,
            consent.state.isEnded
                || moment < consent.ofAgeAt && consent.expiresAt.map({ moment < $0 }) ?? true
        else { return nil }
        return (consent, row)
    }
}

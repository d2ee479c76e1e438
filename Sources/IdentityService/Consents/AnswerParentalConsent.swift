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
        case .unspecified: return try answer(shown.consent.state, shown.row)
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
            return try settle(found.consent, event, from: origin, transaction)
        }
        if answered == .refused || answered == .withdrawn { writer.deletions.wake() }
        return try answer(answered, shown.row)
    }

    private func settle(
        _ consent: ParentalConsent, _ event: ParentalConsentRule.Event, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> ParentalConsentState {
        switch ParentalConsentRule.outcome(consent.state, event) {
        case .unchanged, .free, .notAllowed: return consent.state
        case .becomes(.withdrawn):
            try transaction.withdrawParentalConsent(
                of: consent.account, writer.deletions, outbox)
            try transaction.audit(.parentRefused, consent.account, from: origin)
            return .withdrawn
        case .becomes(let state):
            try transaction.answerParent(of: consent.account, state)
            try transaction.audit(.parentConsented, consent.account, from: origin)
            return state
        case .ends:
            try transaction.endParentalConsent(consent, writer.deletions)
            try transaction.audit(.parentRefused, consent.account, from: origin)
            return .refused
        }
    }

    private func answer(
        _ state: ParentalConsentState, _ row: AccountRow
    ) throws -> GatewayV1.AnswerParentalConsentResponse {
        let vault = try reader.vault(row)
        return GatewayV1.AnswerParentalConsentResponse(
            state: ParentalConsentState?(state).message,
            childName: try vault.open(row.sealedDisplayName, .displayName))
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

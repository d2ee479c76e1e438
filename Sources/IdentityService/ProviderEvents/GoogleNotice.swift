import JSON
import ServiceRuntime

/// Validates the claims of a notice of Google's Cross-Account Protection: a security event token
/// (RFC 8417). The signature has been verified before.
///
/// | claim | rule |
/// |---|---|
/// | `iss`, `aud`, `iat`, `jti` | as `NoticeClaims`; `iss` may end in a slash, as Google writes it |
/// | `exp` | ignored: an event has happened, and Google sets none |
/// | `toe` | optional: the time of the event; otherwise `iat` |
/// | `events` | an object with one member, whose name is the type of the event |
/// | `subject` of the event | an object with `sub`, and `iss` as above |
///
/// | type of the event | here |
/// |---|---|
/// | `tokens-revoked` | the consent is revoked |
/// | `account-purged` | the account is deleted |
/// | `sessions-revoked`, `account-disabled` | the sessions from before the event end |
/// | any other about a person | recorded only |
/// | one about no person: `verification`, `token-revoked`, which names a token by its hash | nothing |
///
/// Attack: an ID token is posted as a notice. It has no `events`. The other way round, a notice is
/// refused as an ID token (`ProviderClaims`).
///
/// Source: Google, "Protect user accounts with Cross-Account Protection"; OpenID RISC Profile 1.0
struct GoogleNotice {
    /// The types of events that have an effect, or a name in the log.
    enum EventType: String, CaseIterable, Sendable {
        case tokensRevoked = "https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked"
        case tokenRevoked = "https://schemas.openid.net/secevent/oauth/event-type/token-revoked"
        case sessionsRevoked =
            "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked"
        case accountDisabled =
            "https://schemas.openid.net/secevent/risc/event-type/account-disabled"
        case accountEnabled = "https://schemas.openid.net/secevent/risc/event-type/account-enabled"
        case accountPurged = "https://schemas.openid.net/secevent/risc/event-type/account-purged"
        case credentialChangeRequired =
            "https://schemas.openid.net/secevent/risc/event-type/account-credential-change-required"
        case verification = "https://schemas.openid.net/secevent/risc/event-type/verification"

        /// The last part of the URL.
        var name: Substring { rawValue[rawValue.index(after: slash)...] }

        private var slash: String.Index { rawValue.lastIndex(of: "/") ?? rawValue.startIndex }
    }

    /// The notice; nil for one about no person.
    let notice: ProviderNotice?
    /// The type's name, for the log: `verification`; `other` for an unknown one.
    let name: String

    /// - Parameters:
    ///   - issuers: The accepted spellings of Google's issuer.
    ///   - audiences: The operator's client ids.
    /// - Throws: `ProviderNotice.Refusal`.
    init(
        _ claims: JSONObject, issuers: [String], audiences: Set<String>, at now: Timestamp
    ) throws(ProviderNotice.Refusal) {
        let issuers = issuers + issuers.map { $0 + "/" }
        let token = try NoticeClaims(claims, issuers: issuers, audiences: audiences, at: now)
        guard let events = claims["events"]?.object?.members, events.count == 1,
            let event = events[0].value.object
        else { throw .claims }
        let type = EventType(rawValue: events[0].name)
        name = type.map { String($0.name) } ?? "other"
        guard let subject = event["subject"]?.object, subject["sub"] != nil else {
            notice = nil
            return
        }
        guard let person = NoticeClaims.name(subject["sub"]), let issuer = subject["iss"]?.string
        else { throw .claims }
        guard issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .issuer }
        notice = ProviderNotice(
            id: token.id, subject: person, event: Self.event(type),
            // A time in the future would also end sessions that are opened after the notice.
            at: min(ProviderClaims.moment(claims["toe"]) ?? token.issuedAt, now))
    }

    private static func event(_ type: EventType?) -> ProviderNotice.Event {
        switch type {
        case .tokensRevoked: .consentRevoked
        case .accountPurged: .accountDeleted
        case .sessionsRevoked: .sessionsRevoked(isDisabled: false)
        case .accountDisabled: .sessionsRevoked(isDisabled: true)
        case .accountEnabled: .recorded(.accountEnabled)
        case .credentialChangeRequired: .recorded(.credentialChangeRequired)
        case .tokenRevoked, .verification, nil: .recorded(.other)
        }
    }
}

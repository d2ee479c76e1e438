import Addresses
import ServiceRuntime

/// Decides on the effect of a provider's notice. Pure:
///
///     event              identity   condition                    its account        decision
///     any                unknown                                                    nothing
///     other              known                                                      nothing
///     consent revoked,   known      used or linked in a later    any                nothing
///     account deleted               second than the event                           (late)
///     the same           known      otherwise                    has another        unlink
///                                                                sign-in method
///     the same           known      otherwise                    has no other       keep
///     relay off or on    known      a later one was processed    any                nothing
///     relay off or on    known      otherwise                    any                notifyRelay
///     sessions revoked   known      –                            any                endSessions
///     recorded           known      –                            any                record
///
/// - *Late*: the user has consented again since the event, or the later sign-in would have failed.
///   Apple sometimes sends whole seconds, so seconds are compared.
/// - *Keep*: the provider never assigns this subject to another person, so only this user can use
///   the identity. Without it, the user would lose access to their documents. They can sign in
///   again after they consent again at the provider.
/// - *Unlink* and *keep* both delete the grant, which is no longer valid, and end the sessions that
///   were opened before: `auth/provider-revoked`.
/// - *endSessions* ends the sessions that were opened before the event, so a later sign-in need not
///   be looked for. The identity and its grant stay: the user has withdrawn nothing, and a person
///   whose account is disabled gets no token from the provider.
/// - A suspended account and one that is being deleted are treated the same, so that a restored
///   account does not get back an identity that the provider has withdrawn.
enum ProviderNoticeRule {
    /// The state of the identity that a notice is about.
    struct Identity: Hashable, Sendable {
        /// When it was linked, or last used for a sign-in.
        let usedAt: Timestamp
        /// Time of the last processed relay event; nil for none.
        let relayToldAt: Timestamp?
        /// Whether its account has no other sign-in method.
        let isLastMethod: Bool
    }

    /// The effect of a notice.
    enum Decision: Hashable, Sendable {
        case nothing
        /// Delete the identity, and end the account's sessions.
        case unlink
        /// Keep the identity, and end the account's sessions.
        case keep
        /// Send the state of the relay to the notification service.
        case notifyRelay
        /// Keep the identity and its grant, and end the account's sessions.
        case endSessions
        /// Write it into the audit trail only.
        case record
    }

    /// The decision on `notice`; `identity` is nil when no account has it.
    static func decision(on notice: ProviderNotice, about identity: Identity?) -> Decision {
        guard let identity else { return .nothing }
        switch notice.event {
        case .other: return .nothing
        case .consentRevoked, .accountDeleted:
            if notice.at.seconds < identity.usedAt.seconds { return .nothing }
            return identity.isLastMethod ? .keep : .unlink
        case .relay:
            if let last = identity.relayToldAt, notice.at < last { return .nothing }
            return .notifyRelay
        case .sessionsRevoked: return .endSessions
        case .recorded: return .record
        }
    }
}

/// A signed notice of a provider about one of its users, independent of the provider's format.
/// `AppleNotice` reads Apple's format, and `GoogleNotice` Google's, which is that of RISC. Another
/// format needs another reader that produces this type.
struct ProviderNotice: Hashable, Sendable {
    /// The event at the provider.
    enum Event: Hashable, Sendable {
        /// The user has revoked the consent for this app.
        case consentRevoked
        /// The user's account at the provider was deleted.
        case accountDeleted
        /// The provider's relay address was turned off or on.
        case relay(EmailAddress, isOff: Bool)
        /// The provider ended the user's sessions there, because the account is at risk.
        /// `isDisabled`: it also disabled the account.
        case sessionsRevoked(isDisabled: Bool)
        /// A change at the provider that has no effect here but its record.
        case recorded(Change)
        /// An event without effect here: an unknown type, or about an address that is not a relay.
        case other
    }

    /// What the audit trail says of a change that is recorded only. Raw values are stored.
    enum Change: Int64, Hashable, Sendable {
        /// None of the others.
        case other = 0
        /// The user's account is enabled again.
        case accountEnabled = 1
        /// The user has to change a credential there.
        case credentialChangeRequired = 2
    }

    /// The provider's id of the notice, by which repeated deliveries are detected.
    let id: String
    /// The provider's subject of the user.
    let subject: String
    let event: Event
    /// Time of the event.
    let at: Timestamp
}

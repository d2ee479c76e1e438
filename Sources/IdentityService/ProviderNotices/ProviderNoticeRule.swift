import ServiceRuntime

/// What follows a provider's notice. Pure:
///
///     event              identity   then                                its account        decision
///     any                unknown                                                           nothing
///     other              known                                                             nothing
///     consent revoked,   known      signed in to by it in a later       any                nothing
///     account deleted               second, or linked                                      (late)
///     the same           known      not                                 can be signed in   unlink
///                                                                       to without it
///     the same           known      not                                 cannot             keep
///     relay off or on    known      told of later already               any                nothing
///     relay off or on    known      not                                 any                tell it
///
/// - *Late*: the person has agreed anew since, at the provider, or this sign-in would not have been.
///   Apple writes whole seconds at times, so seconds are compared.
/// - *Keep*: nobody else at the provider can ever be this subject, so the way in stays open to this
///   person alone; without it their documents would be nobody's. They agree once more at the
///   provider, and are in.
/// - *Unlink* and *keep* both drop the grant, which is none any more, and end the sessions that were
///   opened before: `auth/provider-revoked`.
/// - An account that is suspended or being deleted is treated alike: what the provider no longer
///   vouches for must not come back with it.
enum ProviderNoticeRule {
    /// What is known of an identity that a notice is about.
    struct Identity: Hashable, Sendable {
        /// When it was linked, or last signed in by.
        let usedAt: Timestamp
        /// When its relay was last told of; nil for never.
        let relayToldAt: Timestamp?
        /// Its account has no other way of signing in.
        let isLastMethod: Bool
    }

    /// What is to be done.
    enum Decision: Hashable, Sendable {
        case nothing
        /// Take the identity away, and end the account's sessions.
        case unlink
        /// Leave the identity, and end the account's sessions.
        case keep
        /// Tell notification how the relay stands.
        case tellRelay
    }

    /// The decision on `notice`; `identity` is nil where nobody here has it.
    static func decision(on notice: ProviderNotice, about identity: Identity?) -> Decision {
        guard let identity else { return .nothing }
        switch notice.event {
        case .other: return .nothing
        case .consentRevoked, .accountDeleted:
            if notice.at.seconds < identity.usedAt.seconds { return .nothing }
            return identity.isLastMethod ? .keep : .unlink
        case .relay:
            if let told = identity.relayToldAt, notice.at < told { return .nothing }
            return .tellRelay
        }
    }
}

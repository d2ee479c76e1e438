/// The kinds of id that callers see. To add one: a kind and its alias here, nothing else.
///
/// Names an account.
package enum AccountKind: IdentifierKind {
    /// `acc_…`
    package static let prefix = "acc"
}

/// Names a session.
package enum SessionKind: IdentifierKind {
    /// `ses_…`
    package static let prefix = "ses"
}

/// Names a message that was accepted for delivery.
package enum MessageKind: IdentifierKind {
    /// `msg_…`
    package static let prefix = "msg"
}

/// Names a device that takes push messages.
package enum PushDeviceKind: IdentifierKind {
    /// `dev_…`
    package static let prefix = "dev"
}

/// The id of an account: `acc_…`
package typealias AccountID = Identifier<AccountKind>
/// The id of a session: `ses_…`
package typealias SessionID = Identifier<SessionKind>
/// The id of an accepted message: `msg_…`
package typealias MessageID = Identifier<MessageKind>
/// The id of a device that takes push messages: `dev_…`
package typealias PushDeviceID = Identifier<PushDeviceKind>

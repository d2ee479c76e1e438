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

/// Names an operator's webhook.
package enum WebhookKind: IdentifierKind {
    /// `whk_…`
    package static let prefix = "whk"
}

/// Names an event that webhooks are told of.
package enum EventKind: IdentifierKind {
    /// `evt_…`
    package static let prefix = "evt"
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
/// The id of a webhook: `whk_…`
package typealias WebhookID = Identifier<WebhookKind>
/// The id of an event: `evt_…`
package typealias EventID = Identifier<EventKind>
/// The id of a device that takes push messages: `dev_…`
package typealias PushDeviceID = Identifier<PushDeviceKind>

/// An account's ids. This file lists the kinds of id that callers see; to add one, add a kind and
/// its alias here, nothing else.
package enum AccountKind: IdentifierKind {
    /// `acc_…`
    package static let prefix = "acc"
}

/// A session's ids.
package enum SessionKind: IdentifierKind {
    /// `ses_…`
    package static let prefix = "ses"
}

/// The ids of messages that were accepted for delivery.
package enum MessageKind: IdentifierKind {
    /// `msg_…`
    package static let prefix = "msg"
}

/// The ids of operators' webhooks.
package enum WebhookKind: IdentifierKind {
    /// `whk_…`
    package static let prefix = "whk"
}

/// The ids of events that webhooks deliver.
package enum EventKind: IdentifierKind {
    /// `evt_…`
    package static let prefix = "evt"
}

/// The ids of devices that receive push messages.
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
/// The id of a device that receives push messages: `dev_…`
package typealias PushDeviceID = Identifier<PushDeviceKind>

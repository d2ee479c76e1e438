import ServiceRuntime

/// Words the messages that have no room for a letter: text messages and push messages.
package protocol SMSAndPushWording: Sendable {
    /// How urgent a template is; nil where there is none of that name for the channel.
    func lane(of template: String, on channel: Channel) -> Lane?

    /// The variable of a template that is missing or cannot be used; nil when all is well.
    func mistake(in variables: [OrderPair], for template: String) -> String?

    /// What the phone shows; nil where the template is not known (any more).
    /// - Parameter product: what people know the app by.
    func words(_ order: SMSOrder, product: String) -> String?

    /// Title and text; nil where the template is not known (any more).
    func words(_ order: PushOrder, product: String) -> PushWords?
}

/// What a push message shows.
package struct PushWords: Hashable, Sendable {
    /// The first line.
    package let title: String
    /// The text below; may be empty.
    package let body: String

    /// Words.
    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

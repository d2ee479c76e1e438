import ServiceRuntime

/// Renders text messages and push messages.
package protocol SMSAndPushWording: Sendable {
    /// The lane of a template; nil if the channel has no template of that name.
    func lane(of template: String, on channel: Channel) -> Lane?

    /// The name of a variable that is missing or invalid; nil if there is none.
    func mistake(in variables: [OrderPair], for template: String) -> String?

    /// The text that the phone shows; nil if the template is not known (any more).
    /// - Parameter product: the app's name.
    func words(_ order: SMSOrder, product: String) -> String?

    /// Title and text; nil if the template is not known (any more).
    func words(_ order: PushOrder, product: String) -> PushWords?
}

/// The text of a push message.
package struct PushWords: Hashable, Sendable {
    /// The first line.
    package let title: String
    /// The text below; may be empty.
    package let body: String

    /// A title and a text.
    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

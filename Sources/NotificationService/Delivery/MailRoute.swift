/// A way for a mail to leave: a mail server, or the inbox folder of a machine without one.
package protocol MailRoute: Sendable {
    /// Tries once, within a bounded time. Cancellation may end the try with its result unknown.
    func deliver(_ mail: MailMessage) async -> DeliveryOutcome
}

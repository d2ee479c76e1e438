/// A way for a mail to leave: mail servers, or the inbox folder of a machine without one.
package protocol MailRoute: Sendable {
    /// Tries once, within a bounded time. Cancellation may end the try with its result unknown.
    func deliver(_ mail: MailMessage) async -> DeliveryOutcome

    /// How many mails it would take now.
    var readiness: RouteReadiness { get }
}

extension MailRoute {
    /// As many as there are.
    package var readiness: RouteReadiness { .ready(.max) }
}

/// The route by which mails are delivered: mail servers, or the inbox folder of a machine without
/// one.
package protocol MailRoute: Sendable {
    /// Makes one attempt, within a bounded time. After cancellation the outcome may be unknown.
    func deliver(_ mail: MailMessage) async -> DeliveryOutcome

    /// How many mails the route would take now.
    var readiness: RouteReadiness { get }
}

extension MailRoute {
    /// No limit.
    package var readiness: RouteReadiness { .ready(.max) }
}

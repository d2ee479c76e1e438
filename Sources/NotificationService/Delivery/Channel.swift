/// The channel by which a message is delivered. Raw values are stored and never change.
package enum Channel: Int64, CaseIterable, Sendable {
    /// Mail (N-01).
    case email = 1
    /// A text message to a phone (N-02).
    case sms = 2
    /// A push message to a device (N-02).
    case push = 3
}

/// Why a message waits or is dead, where this service decides it: the code in the message's row, in
/// the log and for the operator. Other codes are a provider's or the inbox's, with its name first
/// (`smtp-550-5.1.1`, `inbox-28`), those of a server that failed (`TransferFailure`), and the raw
/// values of `DeliveryState.DeathReason` and `WithdrawalReason`.
enum DeliveryReason: String, Sendable {
    /// The channel has no route.
    case noRoute = "no-route"
    /// A route got a message of another channel: a bug.
    case wrongChannel = "wrong-channel"
    /// The store did not answer.
    case store
    /// The content, or the token of the device, does not decrypt or decode: the key file is of
    /// another store, or a newer program wrote it.
    case unreadable
    /// The template cannot be rendered with the message's values.
    case notRendered = "not-rendered"
    /// The finished mail breaks the rules of the SMTP client, or cannot be signed: a bug.
    case notSendable = "not-sendable"
    /// The list of mail servers is empty.
    case noServer = "no-server"
    /// No provider serves the device's platform, or the list of providers is empty.
    case noProvider = "no-provider"
    /// It was claimed, and no attempt could begin within `Delivery.waitForTryMax`.
    case noPlace = "no-place"
    /// The program stopped before the attempt began.
    case stopping
    /// The attempt to send a mail was cut off, because the program stopped.
    case givenUp = "given-up"
    /// The same for a text or push message.
    case cancelled
    /// The provider's rate is used up.
    case rate
    /// The provider's circuit breaker is open.
    case breakerOpen = "breaker-open"
    /// The email address is on the suppression list.
    case addressStopped = "address-stopped"
    /// The phone number is on the suppression list.
    case numberStopped = "number-stopped"
    /// The device has signed out, or belongs to another account.
    case noDevice = "no-device"
    /// The text message has more parts than are paid for.
    case tooLong = "too-long"
}

/// Where a call comes from, in clear; empty fields are unknown.
package protocol ClientOrigin: Sendable {
    /// The client's IP address.
    var clientAddress: String { get }
    /// The device's id, which the client states itself.
    var deviceId: String { get }
    /// The name of the app, which the web service knows by its key.
    var app: String { get }
    /// Where the address is; nil if that is unknown.
    var place: Place? { get }
    /// The program that the person uses, in the gateway's words, for example `firefox 131, linux`.
    var agent: String { get }
}

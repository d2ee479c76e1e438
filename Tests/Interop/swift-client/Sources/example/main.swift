// example ADDRESS KEY_FILE: runs the Swift lines of Protos/postern/gateway/swift.md, which are here
// as they are printed there, between lines of its own.
import PosternClient

let address = CommandLine.arguments[1]
let keyFile = CommandLine.arguments[2]
let email = "swift-\(UInt32.random(in: 0 ... .max))@example.org"
let password = "Correct7Horse"

let postern = try PosternClient(addresses: [address], keyFile: keyFile)
let device = GatewayV1.Device(deviceId: "device-1", platform: "ios", name: "Ada's phone")
let signedUp = try await postern.auth.signUpWithPassword(
    .init(email: email, password: SecretBytes(password), device: device),
    CallOptions(clientAddress: "198.51.100.7", acceptLanguage: "de"))
guard var session = signedUp.session else { fatalError("email-verification is required") }

let refreshed = try await postern.auth.refreshSession(
    .init(refreshToken: session.refreshToken, device: device))
session = refreshed.session ?? session

let methods = try await postern.signInMethods.listSignInMethods(
    .init(), CallOptions(accessToken: session.accessToken))
print("methods:", methods.methods.map(\.method))

do {
    _ = try await postern.auth.signInWithPassword(
        .init(email: email, password: SecretBytes("wrong"), device: device))
} catch {
    print("error:", error.code, error.userMessage)
}

let verifier = postern.sessionVerifier()
let following = Task { await verifier.run() }
switch await verifier.verify(session.accessToken) {
case .good(let session): print("verified:", session.accountID, session.methods)
case .refused(let reason): print("refused:", reason)
}

following.cancel()
postern.close()

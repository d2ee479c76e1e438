import ArgumentParser
import Contracts
import Cryptography
import Glibc
import Messages
import Metrics
import NIOPosix
import RPC
import ServiceRuntime
import SessionService

/// A server with one event loop, with the session service's methods and an echo whose frames have
/// the size of a validation's: the cost of a repeated validation above a call whose handler does
/// nothing. Writes the request to a file, prints its port and runs until it is killed.
struct ValidationServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "validate-server")

    @Option(help: "The caller's key, <application>.<key id>.key, 32 bytes.")
    var key: String
    @Option(help: "A folder on any disk; its contents are lost.")
    var folder: String
    @Option(help: "The file for the request, a ValidateRequest with a valid token.")
    var payload: String

    func run() async throws {
        MetricsSystem.bootstrap(MetricsRegistry())
        let fixture = try await ValidationFixture(folder: folder)
        let token = try await fixture.tokens(1).first ?? ""
        let request = SessionV1.ValidateAccessTokenRequest(accessToken: token)
        let answer = try fixture.service.sessions.validateAccessToken(
            request, CallContext(deadline: SystemTime().uptime() + .seconds(10)))
        guard answer.valid else { throw ValidationError("the token is not valid") }
        try write(request.encoded())
        let caller = try ApplicationKey(file: key)
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.benchmark", host: "127.0.0.1", port: 0),
            services: [fixture.service.sessions.methods, Self.echo(answer)],
            applications: Applications(
                name: caller.application, keyID: caller.keyID, key: caller.key,
                mayAssertClientAddress: false),
            tls: nil, group: MultiThreadedEventLoopGroup(numberOfThreads: 1), time: SystemTime(),
            randomness: SecureRandomness(), logger: .silent)
        try await RunningServer.listens(on: server.port)
    }

    /// Returns `held` for every request.
    private static func echo(_ held: SessionV1.ValidateAccessTokenResponse) -> ServiceMethods {
        let method = MethodDescription(
            name: "postern.benchmark.v1.Echo/Validation", isIdempotent: true,
            timeout: .seconds(10), isOnLoop: true)
        return ServiceMethods(
            ServiceDescription(
                name: "postern.benchmark.v1.Echo", methods: [method], fileDescriptors: []),
            [
                .onLoop(method) {
                    (request: SessionV1.ValidateAccessTokenRequest, _) throws
                        -> SessionV1.ValidateAccessTokenResponse in
                    guard !request.accessToken.isEmpty else {
                        throw ServiceError(.invalidArgument, fields: ["access_token"])
                    }
                    return held
                }
            ])
    }

    private func write(_ bytes: [UInt8]) throws {
        guard let file = fopen(payload, "w") else {
            throw ValidationError("cannot write \(payload)")
        }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else {
            throw ValidationError("cannot write \(payload)")
        }
    }
}

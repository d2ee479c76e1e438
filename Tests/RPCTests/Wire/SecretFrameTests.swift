import Contracts
import Cryptography
import Messages
import NIOCore
import NIOEmbedded
import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("B9: buffers of frames with secrets are wiped")
struct SecretFrameTests {
    private typealias Request = GatewayV1.SignInWithPasswordRequest

    private static let password = "Canary7InTheMine"
    private static let request = Request(
        email: "ada@example.org", password: SecretBytes(text: password))

    private let fixture = QuietServerFixture()

    private static func method(_ name: String, hasSecrets: Bool) -> MethodDescription {
        MethodDescription(
            name: "test.v1.Secret/\(name)", isIdempotent: false, timeout: .seconds(10),
            isOnLoop: true, hasSecrets: hasSecrets)
    }

    /// Answers whether the password arrived.
    private static func handler(_ method: MethodDescription) -> MethodHandler {
        .onLoop(method) { (request: Request, _) -> SessionV1.ValidateAccessTokenResponse in
            SessionV1.ValidateAccessTokenResponse(
                valid: request.password == SecretBytes(text: password))
        }
    }

    private func frame(_ method: MethodDescription, call: UInt64) -> ByteBuffer {
        var frame = ByteBuffer()
        let isWritten = FrameWriter.writeRequest(
            call: call,
            OutgoingRequest(
                method: method.name, metadata: Metadata(),
                payload: OutgoingRequest.Payload(Self.request, of: method)),
            timeoutMilliseconds: 1_000, to: &frame, frameBytesMax: 4_096)
        #expect(isWritten)
        return frame
    }

    private func isThere(_ buffer: ByteBuffer) -> Bool {
        String(buffer: buffer).contains(Self.password)
    }

    private func connection(_ methods: [MethodDescription]) throws -> EmbeddedChannel {
        let (channel, _) = try fixture.serverConnection(
            methods: ServiceMethods(
                ServiceDescription(name: "test.v1.Secret", methods: [], fileDescriptors: []),
                methods.map(Self.handler)))
        try fixture.greet(channel)
        _ = try fixture.received(from: channel)
        return channel
    }

    private func answers(from channel: EmbeddedChannel) throws -> [Bool] {
        try fixture.received(from: channel).compactMap { kind in
            guard case .response(let response) = kind else { return nil }
            return try? SessionV1.ValidateAccessTokenResponse(decoding: response.payload).valid
        }
    }

    @Test("B9: a frame with a secret is wiped once it is read, and other frames are not")
    func received() throws {
        let secret = Self.method("Secret", hasSecrets: true)
        let plain = Self.method("Plain", hasSecrets: false)
        let channel = try connection([secret, plain])
        let (first, second) = (frame(secret, call: 1), frame(plain, call: 2))
        #expect(isThere(first) && isThere(second))
        try channel.writeInbound(first)
        try channel.writeInbound(second)
        fixture.loop.run()
        #expect(try answers(from: channel) == [true, true])
        #expect(!isThere(first))
        #expect(isThere(second))
    }

    @Test(
        "B9: a secret frame that arrives in two pieces is wiped in both buffers",
        arguments: [1, 40, 60])
    func pieces(cut: Int) throws {
        let secret = Self.method("Secret", hasSecrets: true)
        let channel = try connection([secret])
        var whole = frame(secret, call: 1)
        let slice = whole.readSlice(length: cut)
        let first = try #require(slice)
        try channel.writeInbound(first)
        try channel.writeInbound(whole)
        fixture.loop.run()
        #expect(try answers(from: channel) == [true])
        for piece in [first, whole] {
            #expect(piece.readableBytesView.allSatisfy { $0 == 0 })
        }
    }

    @Test("B9: a partial frame is wiped when its connection is lost")
    func lost() throws {
        let secret = Self.method("Secret", hasSecrets: true)
        let channel = try connection([secret])
        let server = try channel.pipeline.syncOperations.handler(type: ServerConnection.self)
        var whole = frame(secret, call: 1)
        let slice = whole.readSlice(length: 60)
        let first = try #require(slice)
        try channel.writeInbound(first)
        #expect(server.decoder.isMidFrame)
        _ = try? channel.finish()  // an error of the close does not matter here
        #expect(!server.decoder.isMidFrame)
    }

    @Test("B9: after a violation, unread and later bytes are wiped")
    func unread() throws {
        let secret = Self.method("Secret", hasSecrets: true)
        let channel = try connection([secret])
        var unread = ByteBuffer(integer: UInt32(0))
        unread.writeImmutableBuffer(frame(secret, call: 1))
        let late = frame(secret, call: 2)
        #expect(isThere(unread) && isThere(late))
        try channel.writeInbound(unread)
        try channel.writeInbound(late)
        fixture.loop.run()
        #expect(try fixture.goAways(from: channel) == [.protocolError])
        #expect(!isThere(unread))
        #expect(!isThere(late))
    }

    @Test("B9: a client's frame with a secret is wiped once it is written to the socket")
    func sent() throws {
        let settings = ClientSettings(
            service: "test.echo", host: "127.0.0.1", port: 1, application: TestKey.application,
            keyID: TestKey.keyID, secret: TestKey.right)
        let connection = ClientConnection(
            settings, time: fixture.time, onReady: { _ in }, onLoss: { _, _ in })
        let channel = EmbeddedChannel(handler: connection, loop: fixture.loop)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try fixture.say(.hello(WireV1.Hello(version: 1, callsMax: 9, challenge: [1])), to: channel)
        _ = try fixture.received(from: channel)
        let payload = OutgoingRequest.Payload(
            Self.request, of: Self.method("Secret", hasSecrets: true))
        connection.start(
            PendingCall(
                OutgoingRequest(method: "a/b", metadata: Metadata(), payload: payload),
                deadline: fixture.time.uptime() + .seconds(9), connectDue: .zero
            ) { _ in })
        #expect(connection.out.readableBytes == 0)
        fixture.loop.run()
        let frame = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(frame.readableBytes > Self.password.utf8.count)
        #expect(frame.readableBytesView.allSatisfy { $0 == 0 })
        _ = try? channel.finish()  // an error of the close does not matter here
    }

    @Test("B9: methods that take a password are marked, and others are not")
    func marked() {
        #expect(AuthDescription.signInWithPassword.hasSecrets)
        #expect(AuthDescription.signUpWithPassword.hasSecrets)
        #expect(AuthDescription.verifyEmail.hasSecrets)
        #expect(PasswordsDescription.changePassword.hasSecrets)
        #expect(AccountSessionsDescription.reauthenticate.hasSecrets)
        #expect(AccountsDescription.verifyPassword.hasSecrets)
        #expect(!AuthDescription.refreshSession.hasSecrets)
    }
}

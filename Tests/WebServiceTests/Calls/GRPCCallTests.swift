import HTTPTypes
import Messages
import NIOCore
import NIOHTTPTypes
import TestSupport
import Testing

@testable import WebService

@Suite("Calls of gRPC over HTTP/2")
struct GRPCCallTests {
    private static let signIn = "/postern.gateway.v1.Auth/SignInWithPassword"
    private static let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"

    private static func fields(_ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: "application/grpc", .te: "trailers",
            CallerField.app: AppsFixture.phoneKey,
        ]
        fields.append(contentsOf: more)
        return fields
    }

    /// The messages of a response.
    private func messages(_ stream: HTTP2Client.Stream) throws -> [ByteBuffer] {
        var reader = MessageFrameReader(messageBytesMax: 1_000_000)
        var messages: [ByteBuffer] = []
        for case .body(let part) in stream.received.parts {
            reader.append(part)
            while let frame = try reader.next() { messages.append(frame.message) }
        }
        return messages
    }

    @Test("a call is answered by its message and the status 0")
    func success() async throws {
        try await WebFixture.run { web in
            let client = try await web.http2()
            // password = 2
            let message = [UInt8]([18, 13]) + Array("correct horse".utf8)
            let frame = String(buffer: MessageFrame.bytes(message))
            let call = try await client.request(
                .post, Self.signIn, frame, authority: web.host,
                Self.fields([.grpcTimeout: "1500m"]))
            let response = try await call.response()
            #expect(response.status == 200)
            #expect(response.trailers?[.grpcStatus] == "0")
            #expect(try messages(call).count == 1)
            #expect(web.gateway.timeLeft.map { $0 <= .milliseconds(1_500) } == true)
            client.close()
        }
    }

    @Test("an error has no message and its status in the trailers")
    func failures() async throws {
        try await WebFixture.run { web in
            let client = try await web.http2()
            let empty = String(buffer: MessageFrame.bytes([]))
            for (path, body, more, status) in [
                (Self.signIn, empty, [:], "16"), (Self.signIn, "", [:], "3"),
                (Self.signIn, empty + empty, [:], "3"), (Self.signIn, "\u{1}\0\0\0\0", [:], "3"),
                (Self.signIn, "\0\0\u{2}\0\u{1}", [:], "8"),
                (Self.signIn, empty, [.grpcTimeout: "1x"], "3"),
                (Self.signIn, empty, [.grpcTimeout: "0n"], "4"),
                (Self.signIn, empty, [.grpcEncoding: "gzip"], "12"), ("/a.B/C", empty, [:], "12"),
            ] as [(String, String, HTTPFields, String)] {
                let call = try await client.request(
                    .post, path, body, authority: web.host, Self.fields(more))
                let response = try await call.response()
                #expect(response.status == 200)
                #expect(response.body.isEmpty)
                #expect(response.trailers?[.grpcStatus] == status, "\(path) \(more)")
                #expect(response.trailers?[.grpcStatusDetails] != nil)
            }
            client.close()
        }
    }

    @Test("a stream in both directions answers each message before the next is sent")
    func reflection() async throws {
        try await WebFixture.run { web in
            let client = try await web.http2()
            let stream = try await client.open()
            stream.send(
                .head(
                    HTTPRequest(
                        method: .post, scheme: "http", authority: web.host, path: Self.reflection,
                        headerFields: Self.fields())))
            // list_services = 7, file_containing_symbol = 4
            let requests: [[UInt8]] = [[58, 1, 42], [34, 1, 120]]
            for (count, request) in requests.enumerated() {
                stream.send(.body(MessageFrame.bytes(request)))
                #expect(try await eventually { (try? messages(stream).count) == count + 1 })
            }
            stream.send(.end(nil))
            let response = try await stream.response()
            #expect(response.trailers?[.grpcStatus] == "0")
            let services = String(buffer: try messages(stream)[0])
            #expect(services.contains("postern.gateway.v1.Auth"))
            #expect(services.contains("grpc.health.v1.Health"))
            #expect(!services.contains("postern.gateway.v1.Admin"))
            client.close()
        }
    }

    @Test("a stream whose request does not arrive in time ends")
    func silent() async throws {
        var limits = WebLimits()
        limits.bodyTimeout = .milliseconds(100)
        try await WebFixture.run(limits: limits) { web in
            let client = try await web.http2()
            for path in [Self.reflection, "/grpc.health.v1.Health/Watch"] {
                let stream = try await client.open()
                stream.send(
                    .head(
                        HTTPRequest(
                            method: .post, scheme: "http", authority: web.host, path: path,
                            headerFields: Self.fields())))
                #expect(try await stream.response().trailers?[.grpcStatus] == "4", "\(path)")
            }
            client.close()
        }
    }
}

import Cryptography
import HTTPTypes
import Messages
import NIOCore
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Results of gRPC")
struct GRPCStatusTests {
    @Test(
        "grpc-message is percent-encoded",
        arguments: [
            ("a b~", "a b~"), ("100%", "100%25"), ("é\n", "%C3%A9%0A"), ("\u{7f}", "%7F"), ("", ""),
        ])
    func percentEncoded(text: String, encoded: String) {
        #expect(GRPCStatus.percentEncoded(text) == encoded)
    }

    @Test("a call that succeeded has status 0 alone")
    func success() {
        #expect(GRPCStatus.trailers(nil, in: .english) == [.grpcStatus: "0"])
    }

    @Test("an error has its status, its message and the details")
    func failure() throws {
        let failure = CallFailure(ServiceError(.invalidLink))
        let trailers = GRPCStatus.trailers(failure, in: .english)
        #expect(trailers[.grpcStatus] == "9")
        #expect(trailers[.grpcMessage] == failure.message)
        let details = try #require(trailers[.grpcStatusDetails])
        #expect(
            Base64.decodeUnpadded(details.utf8) == GRPCStatus.details(failure, .english))
    }

    /// The expected bytes were written by Python's protobuf from `google/rpc/error_details.proto`.
    @Test("the details are our error and the field's own messages")
    func details() throws {
        var error = ServiceError(.weakPassword, retryAfter: .milliseconds(1_500))
        error.sentence = "Bitte warten."
        error.alternatives = ["google"]
        error.violations = [
            ServiceError.Violation(field: "password", rule: "length", sentence: "Zu kurz."),
            ServiceError.Violation(field: "email"),
        ]
        let status = try Fields(
            GRPCStatus.details(CallFailure(error), Voice(.german, isFormal: true)))
        #expect(status.number(1) == 3)
        #expect(status.text(2).hasPrefix("auth/weak-password: "))
        let details = try status.messages(3).map { (type: $0.text(1), value: $0.bytes(2)) }
        #expect(
            details.map(\.type)
                == [
                    "postern.wire.v1.Error", "google.rpc.LocalizedMessage", "google.rpc.RetryInfo",
                    "google.rpc.BadRequest",
                ].map { "type.googleapis.com/\($0)" })
        let own = try WireV1.Error(decoding: details[0].value)
        #expect(own.code == "auth/weak-password")
        #expect(own.retryAfterMs == 1_500)
        #expect(own.userMessage == "Bitte warten." && own.alternatives == ["google"])
        #expect(
            details.dropFirst().map { Hex.encode($0.value) }
                == [
                    "0a026465120d42697474652077617274656e2e",
                    "0a0808011080cab5ee01",
                    "0a1c0a0870617373776f726412085a75206b75727a2e1a066c656e677468"
                        + "0a070a05656d61696c",
                ])
    }

    @Test("gRPC-Web has the trailers in a last frame, in base64 if the body is")
    func web() throws {
        let text = "grpc-status: 0\r\n"
        let end = CallFormat(.grpcWeb, .proto).end(nil, .english)
        #expect(end.trailers == nil)
        #expect(end.body == MessageFrame.bytes(Array(text.utf8), flags: 0x80))
        let inText = CallFormat(.grpcWebText, .proto).end(nil, .english)
        #expect(Base64.decode(inText.body.readableBytesView) == Array(end.body.readableBytesView))
    }

    /// The fields of a message, by number.
    private struct Fields {
        private var values: [Int: [ScannedValue]] = [:]

        init(_ bytes: [UInt8]) throws {
            var scanner = FieldScanner(bytes[...])
            while let field = try scanner.next() {
                values[field.number, default: []].append(field.value)
            }
        }

        func number(_ number: Int) -> UInt64? {
            if case .varint(let value) = values[number]?.first { value } else { nil }
        }

        func bytes(_ number: Int) -> [UInt8] {
            if case .bytes(let bytes) = values[number]?.first { Array(bytes) } else { [] }
        }

        func text(_ number: Int) -> String { String(decoding: bytes(number), as: UTF8.self) }

        func messages(_ number: Int) throws -> [Fields] {
            try values[number, default: []].map {
                guard case .bytes(let bytes) = $0 else { throw MessageError.malformed }
                return try Fields(Array(bytes))
            }
        }
    }
}

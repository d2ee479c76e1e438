import Contracts
import JSON
import Messages
import RPC
import TestSupport
import Testing

@testable import WebService

@Suite("B9: secrets in JSON become no strings")
struct SecretFieldsTests {
    private static let signIn = Result {
        try Schema(fileDescriptorSet: AuthDescription.service.fileDescriptorSet)
            .message(named: "postern.gateway.v1.SignInWithPasswordRequest")
    }
    private static let change = Result {
        try Schema(fileDescriptorSet: PasswordsDescription.service.fileDescriptorSet)
            .message(named: "postern.gateway.v1.ChangePasswordRequest")
    }

    private func message(_ result: Result<SchemaMessage?, any Error>) throws -> SchemaMessage {
        try #require(try result.get())
    }

    @Test(
        "the packed message is the one that the reader makes, and the text has no secret any more",
        arguments: [
            #"{"email":"a@example.org","password":"Correct7Horse"}"#,
            #"{ "password" : "x" , "email" : "b" }"#,
            #"{"password":"\u00e4\ud83d\ude00\"\\\/\b\f\n\r\t","email":"\""}"#,
            #"{"password":"äöü😀","device":{"deviceId":"password","platform":"x"}}"#,
            #"{"unknown":{"password":"inner","a":[{"password":"b"},"password"]},"password":"p"}"#,
            #"{"password":"","email":"password"}"#, #"{"email":"password:\"p\""}"#, "{}",
        ])
    func same(json: String) throws {
        let message = try message(Self.signIn)
        var text = Array(json.utf8)
        let packed = try SecretFields(of: message).packed(&text, as: message)
        #expect(packed == (try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: true)))
        let blanked = JSONReader.object(in: text)?["password"]?.string ?? ""
        #expect(blanked.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
    }

    @Test("both names of a field, and several secrets, also longer than their length has one byte")
    func several() throws {
        let message = try message(Self.change)
        let long = String(repeating: #"\u0041"#, count: 300)
        let json = #"{"new_password":"\#(long)","currentPassword":"old"}"#
        var text = Array(json.utf8)
        let packed = try SecretFields(of: message).packed(&text, as: message)
        #expect(packed == (try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: true)))
        #expect(!String(decoding: text, as: UTF8.self).contains("old"))
    }

    private static let account = Result {
        try Schema(fileDescriptorSet: BackendAccountsDescription.service.fileDescriptorSet)
            .message(named: "postern.gateway.v1.CreateAccountRequest")
    }

    @Test(
        "I-10: a secret in a message of the request is taken out too, and nothing else in it",
        arguments: [
            #"{"call":{"accountId":"","applicationToken":"e.y.J","actor":"e.y.J"},"email":"a"}"#,
            #"{"email":"a","password":"p","call":{"application_token":"\u0041\"b"}}"#,
            #"{"call":{"applicationToken":""},"password":"e.y.J"}"#,
            #"{"call":{"actor":"applicationToken"},"applicationToken":"top"}"#,
            #"{"call":{"x":{"applicationToken":"deep"},"applicationToken":"t"},"roles":["call"]}"#,
        ])
    func nested(json: String) throws {
        let message = try message(Self.account)
        var text = Array(json.utf8)
        let packed = try SecretFields(of: message).packed(&text, as: message)
        #expect(packed == (try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: true)))
        let call = try #require(JSONReader.object(in: text)?["call"]?.object)
        for name in ["applicationToken", "application_token"] {
            #expect(call[name]?.string?.utf8.allSatisfy { $0 == UInt8(ascii: "x") } != false)
        }
    }

    @Test("I-10: a backend's proof is longer than its length has one byte")
    func longProof() throws {
        let message = try message(Self.account)
        let token = String(repeating: #"\u0041"#, count: 600)
        let json = #"{"call":{"applicationToken":"\#(token)","actor":"ann"},"password":"p"}"#
        var text = Array(json.utf8)
        let packed = try SecretFields(of: message).packed(&text, as: message)
        #expect(packed == (try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: true)))
        #expect(!String(decoding: text, as: UTF8.self).contains("u0041"))
    }

    @Test(
        "what the reader refuses is refused",
        arguments: [
            #"{"password":"a","password":"b"}"#, #"{"password":"\u0000"}"#, #"{"password":"\x"}"#,
            #"{"password":"\ud800"}"#, "{\"password\":\"\u{1}\"}", #"{"password":7}"#,
            #"{"password":"a"#, #"{"password":"a\"#, #"{"password":["a"]}"#, #"["password","a"]"#,
            #"{"password":"a"}}"#, "{\"password\":\"a\nb\"}", #"{"password":"\u12"}"#,
        ])
    func refused(json: String) throws {
        let message = try message(Self.signIn)
        var text = Array(json.utf8)
        #expect(throws: (any Error).self) {
            try message.encodeJSON(Array(json.utf8), ignoresUnknownFields: true)
        }
        #expect(throws: (any Error).self) {
            try SecretFields(of: message).packed(&text, as: message)
        }
    }

    @Test("no change of the bytes of a text makes a difference to the reader alone")
    func mutations() throws {
        let message = try message(Self.signIn)
        let fields = SecretFields(of: message)
        let body = Array(
            #"{"email":"a","password":"P\u00e4\\\"7","device":{"deviceId":"d"}}"#.utf8)
        let randomness = SeededRandomness(seed: 14)
        let marks = Array(#"{}[]",:\u"#.utf8)
        for _ in 0..<20_000 {
            var bytes = body
            for _ in 0...(randomness.next() % 3) {
                let place = Int(randomness.next() % UInt64(bytes.count))
                switch randomness.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: randomness.next())
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert(marks[Int(randomness.next() % UInt64(marks.count))], at: place)
                }
            }
            var text = bytes
            // Which error it is, the reader's own tests say.
            let plain = try? message.encodeJSON(bytes, ignoresUnknownFields: true)
            let packed = try? fields.packed(&text, as: message)
            #expect(packed == plain, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}

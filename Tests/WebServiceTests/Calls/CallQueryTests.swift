import HTTPTypes
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Queries of GET calls")
struct CallQueryTests {
    @Test(
        "the message is percent-encoded, or base64 in either alphabet",
        arguments: [
            ("connect=v1&encoding=json&message=%7B%22a%22%3A1%7D", "{\"a\":1}"),
            ("message=%7b%7d&encoding=json&connect=v1&more=1", "{}"),
            ("connect=v1&encoding=json&message=a+b", "a b"),
            ("connect=v1&encoding=json&message=&base64=1", ""),
            ("connect=v1&encoding=json&base64=1&message=e30", "{}"),
            ("connect=v1&encoding=json&base64=1&message=e30%3D", "{}"),
            ("connect=v1&encoding=json&base64=0&message=e30", "e30"),
            ("connect=v1&encoding=json&compression=identity&message=e30", "e30"),
        ])
    func message(query: String, message: String) throws {
        let query = try CallQuery(query)
        #expect(query.codec == .json)
        #expect(String(decoding: query.message, as: UTF8.self) == message)
    }

    @Test("the encoding is the codec")
    func codec() throws {
        let query = try CallQuery("connect=v1&encoding=proto&base64=1&message=CAE_")
        #expect(query == (try CallQuery("base64=1&connect=v1&encoding=proto&message=CAE%2F")))
        #expect(query.codec == .proto)
        #expect(query.message == [8, 1, 63])
    }

    @Test(
        "a query that is no call is refused",
        arguments: [
            "", "encoding=json&message=e30", "connect=v2&encoding=json&message=e30",
            "connect=v1&encoding=json", "connect=v1&encoding=json&message=%7",
            "connect=v1&encoding=json&message=%zz", "connect=v1&encoding=json&base64=1&message=*",
        ])
    func invalid(query: String) {
        let failure = #expect(throws: CallFailure.self) { try CallQuery(query) }
        #expect(failure?.status == .badRequest)
    }

    @Test("an unknown codec and a compression are refused as in a POST call")
    func unsupported() {
        let codec = #expect(throws: CallFailure.self) {
            try CallQuery("connect=v1&encoding=xml&message=")
        }
        #expect(codec?.status == .unsupportedMediaType)
        let compression = #expect(throws: CallFailure.self) {
            try CallQuery("connect=v1&encoding=json&compression=gzip&message=")
        }
        #expect(compression?.error.status == .unimplemented)
    }
}

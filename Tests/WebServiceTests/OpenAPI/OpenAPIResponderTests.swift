import HTTPTypes
import JSON
import NIOCore
import RPC
import Testing

@testable import WebService

@Suite("openapi.json")
struct OpenAPIResponderTests {
    private let responder = OpenAPIResponder()

    private func request(
        _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:7480", path: "/openapi.json",
            headerFields: fields)
    }

    @Test("it is JSON with the gateway's public methods, and with no other")
    func methods() throws {
        let (head, body) = try responder.response(to: request())
        #expect(head.status == .ok)
        #expect(head.headerFields[.contentType] == "application/json")
        #expect(head.headerFields[.contentLength] == "\(body.readableBytes)")
        let document = try #require(
            JSONReader.object(in: Array(body.readableBytesView), depthMax: 32, membersMax: 1_000))
        let paths = Set(try #require(document["paths"]?.object).members.map(\.name))
        for method in CallMethods.gatewayServices.flatMap(\.methods) {
            let isListed = method.isPublic && method.streams == .none
            #expect(paths.contains("/\(method.name)") == isListed, "\(method.name)")
        }
        #expect(
            paths.isSuperset(of: [
                "/v1/guest-bundle", "/v1/photo", "/v1/photos/{name}", "/v1/exports/{exportId}",
            ]))
    }

    @Test("a client that has it gets no second copy")
    func revalidation() throws {
        let tag = try #require(try responder.response(to: request()).head.headerFields[.eTag])
        let (head, body) = try responder.response(to: request(.get, [.ifNoneMatch: tag]))
        #expect(head.status == .notModified)
        #expect(head.headerFields[.eTag] == tag)
        #expect(body.readableBytes == 0)
    }

    @Test("HEAD has the length without the document, and POST is refused")
    func verbs() throws {
        let (head, body) = try responder.response(to: request(.head))
        #expect(head.headerFields[.contentLength] != "0")
        #expect(body.readableBytes == 0)
        #expect(throws: HTTPFailure.self) { try responder.response(to: request(.post)) }
    }
}

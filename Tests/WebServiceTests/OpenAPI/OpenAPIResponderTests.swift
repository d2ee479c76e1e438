import Contracts
import JSON
import RPC
import TestSupport
import Testing

@testable import WebService

@Suite("openapi.json")
struct OpenAPIResponderTests {
    @Test("it is the file that Protos/generate.sh writes, byte for byte")
    func bytes() throws {
        let file = try CommittedFile("Sources/COpenAPI/Generated/openapi.json").text()
        #expect(Array(file.utf8) == Array(OpenAPIResponder.text))
    }

    @Test("it is JSON with the gateway's public methods, and with no other")
    func methods() throws {
        let bytes = Array(OpenAPIResponder.text)
        let document = try #require(
            JSONReader.object(in: bytes, depthMax: 32, membersMax: 1_000))
        let paths = Set(try #require(document["paths"]?.object).members.map(\.name))
        for method in ServiceDescription.ofGateway.flatMap(\.methods) {
            let isListed = method.isPublic && method.streams == .none
            #expect(paths.contains("/\(method.name)") == isListed, "\(method.name)")
        }
        #expect(
            paths.isSuperset(of: [
                "/v1/guest-bundle", "/v1/photo", "/v1/photos/{name}", "/v1/exports/{exportId}",
            ]))
    }
}

import JSON
import TestSupport
import Testing

@testable import postern

@Suite("The folder of `postern up`")
struct DataFolderTests {
    @Test("endpoints.json has the web service's URL with its scheme", arguments: ["http", "https"])
    func webURL(scheme: String) throws {
        let temporary = try TemporaryFolder()
        let folder = try DataFolder(temporary.file("postern"))
        try folder.writeEndpoints([("web", 7480, 7490)], webScheme: scheme, appKey: "pk_1")
        let endpoints = JSONReader.object(
            in: try TextFile.read("\(folder.path)/endpoints.json"))
        let web: JSONObject = [
            "url": .string("\(scheme)://127.0.0.1:7480"), "app_key": .string("pk_1"),
        ]
        #expect(endpoints?["web"] == .object(web))
    }
}

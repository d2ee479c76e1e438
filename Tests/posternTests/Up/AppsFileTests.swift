import Glibc
import TestSupport
import Testing

@testable import postern

@Suite("The apps file of postern up")
struct AppsFileTests {
    @Test("it has one app for development, whose key stays the same at the next start")
    func prepared() throws {
        let folder = try TemporaryFolder()
        let apps = AppsFile(path: folder.file("apps.yaml"))
        try apps.prepare()
        let key = try #require(apps.developmentKey)
        #expect(key.hasPrefix("pk_") && key.utf8.count == 35)
        try apps.prepare()
        #expect(apps.developmentKey == key)
        var status = stat()
        #expect(stat(apps.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("the key is read as the web service reads it, with quotes and comments")
    func edited() throws {
        let folder = try TemporaryFolder()
        let key = "pk_0123456789abcdef0123456789abcdef"
        let path = try folder.write(
            "development: # mine\n  platforms: [cli]\n  key: \"\(key)\" # kept\n", to: "apps.yaml")
        #expect(AppsFile(path: path).developmentKey == key)
    }

    @Test("an operator who removes the app for development gets no key of it")
    func removed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{"apps": [{"name": "shop", "key": "pk_1"}]}"#, to: "apps.yaml")
        let apps = AppsFile(path: path)
        try apps.prepare()
        #expect(apps.developmentKey == nil)
    }
}

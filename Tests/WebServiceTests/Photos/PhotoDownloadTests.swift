import JSON
import Testing

@testable import WebService

@Suite("G-17: a photo is read by its URL", .timeLimit(.minutes(1)))
struct PhotoDownloadTests {
    private static let photo = [UInt8](repeating: 0xD8, count: 5_000)
    private static let path = "/v1/photos/new_photo-1"

    private func run(_ body: @Sendable (PhotosFixture) async throws -> Void) async throws {
        try await PhotosFixture.run { photos in
            _ = try await photos.put(Self.photo)
            try await body(photos)
        }
    }

    @Test("anyone gets it as an image and as nothing else, without an app's key")
    func anyone() async throws {
        try await run { photos in
            let response = try await photos.send("GET", Self.path)
            #expect(response.status == 200)
            #expect(response.body == Self.photo)
            let expected = [
                "content-type": "image/jpeg", "content-length": "5000", "etag": "\"new_photo-1\"",
                "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff",
                "content-security-policy": "default-src 'none'", "content-disposition": "inline",
                "cross-origin-resource-policy": "cross-origin", "vary": "Origin, Authorization",
            ]
            for (name, value) in expected { #expect(response.fields[name] == value, "\(name)") }
            #expect(photos.profile.metadata("client-address") == "127.0.0.1")
            #expect(photos.profile.metadata("app") == nil)
        }
    }

    @Test("HEAD has the fields without the photo")
    func head() async throws {
        try await run { photos in
            let response = try await photos.send("HEAD", Self.path)
            #expect(response.status == 200)
            #expect(response.fields["content-length"] == "5000")
            #expect(response.body.isEmpty)
        }
    }

    @Test("a client that has it gets no second copy")
    func revalidation() async throws {
        try await run { photos in
            let response = try await photos.send(
                "GET", Self.path, ["if-none-match": "\"new_photo-1\""])
            #expect(response.status == 304)
            #expect(response.fields["etag"] == "\"new_photo-1\"")
            #expect(response.body.isEmpty)
            let other = try await photos.send("GET", Self.path, ["if-none-match": "\"other\""])
            #expect(other.status == 200)
        }
    }

    @Test(
        "with an access token, no shared cache may keep it; an app's key is checked if it is sent")
    func session() async throws {
        try await run { photos in
            let own = try await photos.send(
                "GET", Self.path,
                ["authorization": "Bearer token", "x-postern-app": AppsFixture.otherKey])
            #expect(own.status == 200)
            #expect(own.fields["cache-control"] == "private, max-age=86400")
            #expect(photos.profile.metadata("authorization") == "Bearer token")
            #expect(photos.profile.metadata("app") == "blog")
            let unknown = try await photos.send(
                "GET", Self.path, ["x-postern-app": "pk_00000000000000000000000000000000"])
            #expect(unknown.status == 401)
        }
    }

    @Test(
        "a name that no photo has is 404, in the form of a call's error",
        arguments: ["", "other", "..%2Fhealth", "a/b", String(repeating: "a", count: 65)])
    func unknown(name: String) async throws {
        try await run { photos in
            let response = try await photos.send("GET", PhotoResponder.path + name)
            #expect(response.status == 404)
            #expect(response.fields["cache-control"] == "no-store")
            #expect(JSONReader.object(in: response.body)?["code"] == .string("not_found"))
        }
    }

    @Test("a photo whose stream breaks off ends with the connection, not as a whole response")
    func broken() async throws {
        try await run { photos in
            let response = try await photos.send("GET", PhotoResponder.path + FakeProfile.broken)
            #expect(response.status == 200)
            #expect(response.fields["content-length"] == "5000")
            #expect(response.body.count < 5_000)
        }
    }

    @Test("it is read by GET and HEAD only")
    func methods() async throws {
        try await run { photos in
            let response = try await photos.send("PUT", Self.path, ["content-length": "0"])
            #expect(response.status == 405)
            #expect(response.fields["allow"] == "GET, HEAD")
        }
    }
}

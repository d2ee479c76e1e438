import TestSupport

/// Files as other systems export them.
enum ExportFiles {
    static let signerKey =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="

    static let hashConfig = """
        hash_config {
          algorithm: SCRYPT,
          base64_signer_key: \(signerKey),
          base64_salt_separator: Bw==,
          rounds: 8,
          mem_cost: 14,
        }
        """

    /// The user of Firebase's published test vector, whose password is "user1password", as
    /// `firebase auth:export` writes it.
    static func user(_ number: Int) -> String {
        """
        {
          "localId": "uid\(number)",
          "email": "user\(number)@example.org",
          "emailVerified": true,
          "passwordHash": "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==",
          "salt": "42xEC-ixf3L2lw==",
          "displayName": "User {\(number)} \\"]\\"",
          "lastSignedInAt": "1600000000000",
          "createdAt": "1500000000000",
          "customAttributes": "{\\"role\\":\\"user\\"}",
          "disabled": false,
          "providerUserInfo": [
            {"providerId": "password", "rawId": "user\(number)@example.org"},
            {"providerId": "google.com", "rawId": "g\(number)", "email": "g\(number)@example.com"}
          ]
        }
        """
    }

    static func firebase(_ users: [String]) -> String {
        #"{"users": ["# + "\n" + users.joined(separator: ",\n") + "\n]}\n"
    }

    /// One line for each of `count` accounts.
    static func lines(_ count: Int) -> String {
        (0..<count).map { number in
            #"{"external_id":"u\#(number)","email":"user\#(number)@example.org","#
                + #""email_verified":true,"password_hash":"#
                + #""$2b$04$abcdefghijklmnopqrstuuc34AZERa.zlqqUUtYXd1RSqIxBXIx6.","#
                + #""display_name":"User \#(number)","identities":[{"method":"google","#
                + #""issuer":"https://accounts.google.com","subject":"g\#(number)"}]}"# + "\n"
        }.joined()
    }
}

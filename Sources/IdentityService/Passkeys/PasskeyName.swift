import Cryptography
import Messages
import Storage

/// The name of a passkey (F-01): the person's, else that of its authenticator, else that of the
/// device that added it. Pure.
enum PasskeyName {
    /// Whether a person may give a passkey this name.
    static func isValid(_ text: String) -> Bool {
        text.utf8.count <= PasskeyRow.nameBytesMax && Applicant.isDisplayName(text)
    }

    /// The name of a new passkey; empty if nothing is known.
    /// - Parameter typed: The person's; empty for none.
    static func text(
        _ typed: String, aaguid: [UInt8], on device: GatewayV1.Device?, from origin: CallOrigin
    ) -> String {
        if !typed.isEmpty { return typed }
        if let authenticator = authenticators[Hex.encode(aaguid)] { return authenticator }
        let words = DeviceWords.words(
            name: device?.name ?? "", agent: origin.agent ?? "", platform: device?.platform ?? "")
        return cut(words)
    }

    /// As much of a text as a name may have.
    private static func cut(_ text: String) -> String {
        var name = ""
        for character in text {
            guard name.utf8.count + character.utf8.count <= PasskeyRow.nameBytesMax else { break }
            name.append(character)
        }
        return name
    }

    /// The 40 authenticators that people have most, by their AAGUID in hexadecimal digits. Only
    /// names: an authenticator says of itself what it is, and nothing is decided by it. As of 30
    /// November 2026; sources: https://github.com/passkeydeveloper/passkey-authenticator-aaguids
    /// and, for security keys, https://fidoalliance.org/metadata
    private static let authenticators = [
        "ea9b8d664d011d213ce4b6b48cb575d4": "Google Password Manager",
        "fbfc3007154e4ecc8c0b6e020557d7bd": "Apple Passwords",
        "dd4ec289e01d41c9bb8970fa845d4bf2": "Apple Passwords",
        "08987058cadc4b81b6e130de50dcbe96": "Windows Hello",
        "9ddd1817af5a4672a2b93e3dd95000a9": "Windows Hello",
        "6028b017b1d44c02b4b3afcdafc96bb2": "Windows Hello",
        "d345266801fd4c12926c83a4204853aa": "Microsoft Password Manager",
        "adce000235bcc60a648b0b25f1f05503": "Chrome on Mac",
        "771b48fdd3d44f749232fc157ab0507a": "Edge on Mac",
        "b53976664885aa6bcebfe52262a439a2": "Chromium",
        "53414d53554e47000000000000000000": "Samsung Pass",
        "bada5566a7aa401fbd9645619a55120d": "1Password",
        "d548826e79b4db40a3d811116f7e8349": "Bitwarden",
        "531126d6e717415c93203d9aa6981239": "Dashlane",
        "b78a0a556ef8d246a042ba0f6d55050c": "LastPass",
        "b84e404815dc4dd08640f4f60813c8af": "NordPass",
        "0ea242b443c44a1b8b17dd6d0b6baec6": "Keeper",
        "50726f746f6e5061737350726f746f6e": "Proton Pass",
        "fdb141b25d84443e8a354698c205a502": "KeePassXC",
        "f38095407f1449c1a8b38f813b225541": "Enpass",
        "b35a26b28f6e4697ab1dd44db4da28c6": "Zoho Vault",
        "de503f9c21a44f76b4b7558eb55c6f89": "Devolutions",
        "22248c4c7a1246e29a4144291b373a4d": "LogMeOnce",
        "a10c6dd9465e42268198c7c44b91c555": "Kaspersky Password Manager",
        "bfc748bb34294faab9f97cfa9f3b76d0": "iPasswords",
        "891494da2c904d31a9cd4eab0aed1309": "Sésame",
        "39a5647e1853446ca1f6a79bae9f5bc7": "IDmelon",
        "cc45f64e52a2451b831a4edd8022a202": "ToothPic",
        "66a0ccb3bd6a191fee06e375c50b9846": "Thales",
        "8836336af5900921301d46427531eee6": "Thales",
        "cd69adb53c7adeb931776800ea6cb72a": "Thales",
        "17290f1ec21234d01423365d729f09d9": "Thales",
        "cb69481e8ff7403993ec0a2729a154a8": "YubiKey 5",
        "ee882879721c491397753dfcce97072a": "YubiKey 5",
        "19083c3d83834b18bc038f1c9ab2fd1b": "YubiKey 5",
        "fa2b99dc9e3942578f924a30d23c4118": "YubiKey 5 NFC",
        "2fc0579f811347eab116bb5a8db9202a": "YubiKey 5 NFC",
        "a25342c03cdc44148e46f4807fca511c": "YubiKey 5 NFC",
        "c5ef55ffad9a4b9fb580adebafe026d0": "YubiKey 5Ci",
        "42b4fb4a286643b29bf76c6669c2e5d3": "Google Titan",
    ]
}

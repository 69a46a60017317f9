# Nix flake: builds from the source archive. Cargo.lock of the same release lies beside it.
{
  description = "last-word: @summary@";
  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      each = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
    in {
      packages = each (system: let pkgs = nixpkgs.legacyPackages.${system}; in {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "last-word";
          version = "@version@";
          src = pkgs.fetchurl {
            url = "@url@/last-word-@version@.tar.gz";
            hash = "@source_sri@";
          };
          cargoLock.lockFile = ./Cargo.lock;
          LAST_WORD_COMMIT = "@commit@";
          cargoBuildFlags = [ "--bin" "last-word" ];
          doCheck = false; # the source archive's tests take minutes, and are run before a release
          meta.mainProgram = "last-word";
        };
      });
    };
}
